import { PyError, raise } from '../../errors.ts';
import { tick } from '../../meter.ts';
import type { ClassDefinition } from '../../objects/class.ts';
import { equals } from '../../objects/compare.ts';
import { PyDict } from '../../objects/collections/dict.ts';
import { overArray } from '../../objects/collections/iterator.ts';
import { keyOf } from '../../objects/key.ts';
import { PyList } from '../../objects/collections/list.ts';
import { PyMappingProxy } from '../../objects/collections/mapping-proxy.ts';
import { PyObject } from '../../objects/object.ts';
import { PyClass } from '../../objects/class.ts';
import { typeOf, types } from '../../objects/types.ts';
import type { Key, Kwargs, PyIterator, Value } from '../../objects/object.ts';
import { catching } from '../../objects/protocol.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import { repr } from '../../text/repr.ts';
import type { EnumMember } from './member.ts';

/** The class of enumerations. */
export const enumType = new PyClass('EnumType', [types.type], { module: 'enum' });

/** What a Flag does with bits that no member has. */
export type Boundary = 'strict' | 'conform' | 'eject' | 'keep';

/** The traits of an enumeration. */
export type Traits = {
  /** The built-in type that its members also are. */
  readonly data: PyClass | undefined;
  /** Whether its members print as their values (`IntEnum`, `StrEnum`). */
  readonly showsValue: boolean;
  /** For flags: what happens to bits that no member has. */
  readonly boundary: Boundary | undefined;
  /** The module whose name its members show: `re.IGNORECASE`. */
  readonly shownIn?: string;
};

/** What other files of this folder do for a class; they import this file. */
type Hooks = {
  define(definition: ClassDefinition): PyClass;
  create(cls: EnumClass, args: readonly Value[], kwargs: Kwargs | undefined): Value;
  /** The member for a value that no member has; `undefined` when there is none. */
  composed(cls: EnumClass, value: Value): Value | undefined;
};
export const hooks: Hooks = { define: unset, create: unset, composed: unset };

/** An enumeration, or a base of enumerations, which has no members. */
export class EnumClass extends PyClass {
  readonly traits: Traits;
  /** Members and aliases by name. */
  readonly members = new Map<string, EnumMember>();
  /** The members in the order of their definition, without aliases. */
  readonly canonical: EnumMember[] = [];
  readonly #byValue = new Map<Key, EnumMember>();

  constructor(
    name: string,
    bases: readonly PyClass[],
    traits: Traits,
    options: ConstructorParameters<typeof PyClass>[2],
  ) {
    super(name, bases, options);
    this.traits = traits;
    this.extended = (definition) => hooks.define(definition);
  }
  override get cls(): PyClass {
    return enumType;
  }
  get isFlag(): boolean {
    return this.traits.boundary !== undefined;
  }
  override repr(): string {
    return `<${this.isFlag ? 'flag' : 'enum'} '${this.name}'>`;
  }
  override toldWithout(name: string): string {
    return name;
  }

  /** Adds a member or alias; flags of several bits are aliases. */
  add(name: string, member: EnumMember, isCanonical: boolean): void {
    this.members.set(name, member);
    this.dict.set(name, member);
    if (isCanonical) this.canonical.push(member);
    const key = this.#keyOf(member.value);
    if (key !== undefined && !this.#byValue.has(key)) this.#byValue.set(key, member);
  }
  /** Keeps a composed flag, so that each exists once. */
  keep(value: Value, member: EnumMember): void {
    this.#byValue.set(keyOf(value), member);
  }
  #keyOf(value: Value): Key | undefined {
    return catching(['TypeError'], () => keyOf(value));
  }
  /** The member with a value, if defined. */
  memberOf(value: Value): EnumMember | undefined {
    const key = this.#keyOf(value);
    const known = key === undefined ? undefined : this.#byValue.get(key);
    if (known !== undefined) return known;
    tick(this.members.size);
    return [...this.members.values()].find(
      (member) => this.#keyOf(member.value) === undefined && equals(member.value, value),
    );
  }
  /** `Color(value)`. @throws ValueError */
  override call(args: readonly Value[], kwargs?: Kwargs): Value {
    const [given = kwargs?.get('value'), names] = args;
    if (given === undefined)
      return raise(
        'TypeError',
        "EnumType.__call__() missing 1 required positional argument: 'value'",
      );
    if ((names ?? kwargs?.get('names') ?? null) !== null) return hooks.create(this, args, kwargs);
    if (given instanceof PyObject && given.cls === this) return given;
    const known = this.memberOf(given) ?? hooks.composed(this, given);
    if (known === undefined && this.members.size === 0)
      raise('TypeError', `${this.repr()} has no members defined`);
    return known === undefined ? this.#missing(given) : known;
  }
  #missing(value: Value): Value {
    const notValid = (): PyError => {
      const text = `${repr(value)} is not a valid ${this.qualifiedName}`;
      return new PyError('ValueError', [text], text);
    };
    const method = this.lookupFor(null, '_missing_');
    const found = method instanceof PyObject ? method.call([value]) : null;
    if (found === null) throw notValid();
    if (typeOf(found).isSubclassOf(this)) return found;
    return raise(
      'TypeError',
      `error in ${this.name}._missing_: returned ${repr(found)} instead of None or a valid member`,
    );
  }

  override iterate(): PyIterator {
    return overArray('generator', [...this.canonical]);
  }
  override reversed(): PyIterator {
    return overArray('generator', [...this.canonical].reverse());
  }
  override length(): number {
    return this.canonical.length;
  }
  override item(name: Value): Value {
    const found = typeof name === 'string' ? this.members.get(name) : undefined;
    if (found === undefined) throw new PyError('KeyError', [name], '');
    return found;
  }
  override contains(item: Value): boolean {
    if (!(item instanceof PyObject) || !(item.cls instanceof EnumClass))
      raise(
        'TypeError',
        `unsupported operand type(s) for 'in': '${typeOf(item).name}' and 'EnumType'`,
      );
    const name = item.attribute('_name_');
    return item.cls.isSubclassOf(this) && typeof name === 'string' && this.members.has(name);
  }
  override names(): readonly string[] {
    return this.canonical.flatMap(({ label }) => (label === null ? [] : [label]));
  }
  override readsSpecial(name: string): boolean {
    return name === '__members__' || super.readsSpecial(name);
  }
  override attribute(name: string): Value | undefined {
    if (name === '__members__') return new PyMappingProxy(new PyDict(this.members));
    if (name === '_member_map_') return new PyDict(this.members);
    if (name === '_member_names_') return new PyList(this.canonical.map(({ label }) => label));
    if (name === '_value2member_map_')
      return new PyDict(
        [...this.members.values()].map((member) => [member.value, member] as const),
      );
    if ((name === 'name' || name === 'value') && !this.definesSpecial(name)) return undefined;
    return super.attribute(name);
  }
  override setAttribute(name: string, value: Value): void {
    if (this.members.has(name)) raise('AttributeError', `cannot reassign member '${name}'`);
    super.setAttribute(name, value);
  }
  override deleteAttribute(name: string): void {
    if (this.members.has(name))
      raise('AttributeError', `'${this.name}' cannot delete member '${name}'.`);
    super.deleteAttribute(name);
  }
}

/** The arguments that make a member of a value. */
export function argumentsOf(value: Value): readonly Value[] {
  return value instanceof PyTuple && value.cls === types.tuple ? value.items : [value];
}

function unset(): never {
  return raise('SystemError', 'the module enum is not loaded');
}
