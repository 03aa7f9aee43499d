import { raise } from '../../errors.ts';
import { frame } from '../../frame.ts';
import { tick } from '../../meter.ts';
import { add, binary } from '../../objects/numbers/arithmetic.ts';
import { extensible, implied } from '../../objects/classes/make-class.ts';
import type { Cell, ClassDefinition } from '../../objects/class.ts';
import { equals, sorted } from '../../objects/compare.ts';
import { PyUnboundMethod, PyProperty } from '../../objects/classes/descriptors.ts';
import { PyDict } from '../../objects/collections/dict.ts';
import { PyFunction } from '../../objects/classes/function.ts';
import { PyInstance } from '../../objects/classes/instance.ts';
import { PyList } from '../../objects/collections/list.ts';
import { PyBuiltin } from '../../objects/classes/native.ts';
import { asInt, bitLength } from '../../objects/numbers/number.ts';
import { PyObject, asText } from '../../objects/object.ts';
import { PyClass } from '../../objects/class.ts';
import { typeName, types } from '../../objects/types.ts';
import type { Kwargs, Value } from '../../objects/object.ts';
import { call, catching, items } from '../../objects/protocol.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import { repr, str } from '../../text/repr.ts';
import { Auto, resolved } from './auto.ts';
import { EnumClass, argumentsOf, hooks } from './class.ts';
import type { Boundary, Traits } from './class.ts';
import { EnumMember } from './member.ts';
import { flagOf, isSingleBit } from './flags.ts';

const BOUNDARIES: readonly Boundary[] = ['strict', 'conform', 'eject', 'keep'];
const DATA: readonly PyClass[] = [types.int, types.float, types.str];
/** Names with one underscore at each end that mean something to an enumeration. */
const SUNDER = new Set([
  '_order_',
  '_generate_next_value_',
  '_numeric_repr_',
  '_missing_',
  '_ignore_',
]);
const MADE = new Set(['_ignore_', '_order_']);

/** Marks a value of a class body as a member, or as none. */
export class MarkedMember extends PyObject {
  readonly cls: PyClass;
  readonly value: Value;
  constructor(cls: PyClass, value: Value) {
    super();
    this.cls = cls;
    this.value = value;
  }
}
export const memberClass = markerClass('member');
export const nonmemberClass = markerClass('nonmember');

type Entries = readonly (readonly [string, Value | undefined])[];

hooks.define = define;
hooks.create = create;
hooks.composed = (cls, value) => (cls.isFlag ? flagOf(cls, value) : undefined);
for (const data of DATA) data.specials = bareMaker(data);

function markerClass(name: string): PyClass {
  return new PyClass(name, [types.object], {
    module: 'enum',
    create: (cls, [value = null]) => new MarkedMember(cls, value),
  });
}

/** `Enum('Color', 'RED GREEN')`: names with values that count, or pairs of name and value. */
function create(cls: EnumClass, args: readonly Value[], kwargs: Kwargs | undefined): Value {
  const [name = kwargs?.get('value') ?? null, given = kwargs?.get('names') ?? null] = args;
  const start = kwargs?.get('start') ?? 1;
  const type = kwargs?.get('type') ?? null;
  const list =
    typeof given === 'string'
      ? given
          .replaceAll(',', ' ')
          .split(/\s+/)
          .filter((part) => part !== '')
      : items(given);
  // The first of a list says whether all are names.
  const areNames =
    typeof list[0] === 'string' &&
    (typeof given === 'string' || given instanceof PyList || given instanceof PyTuple);
  const before: Value[] = [];
  const bases = type === null ? [cls] : [type, cls];
  const entries = (): Entries =>
    distinct(
      list.map((entry, count): readonly [string, Value] => {
        if (given instanceof PyDict && typeof entry === 'string') return [entry, given.item(entry)];
        if (!areNames || typeof entry !== 'string') return pair(items(entry));
        const counted =
          before.length === 0 && !(cls.traits.showsValue && cls.traits.data === types.str)
            ? start
            : nextValue(cls, entry, count, before);
        before.push(counted);
        return [entry, counted];
      }),
    );
  const named = {
    name: str(name),
    qualifiedName: str(name),
    module: kwargs?.get('module') ?? frame.module,
  };
  return define({
    named,
    bases,
    body: entries,
    options: new Map([...(kwargs ?? [])].filter(([key]) => key === 'boundary')),
  });
}

/** @throws TypeError for a name that is there twice */
function distinct(entries: readonly (readonly [string, Value])[]): Entries {
  for (const [i, [name]] of entries.entries()) {
    tick(i >> 4);
    const earlier = entries.slice(0, i).find(([known]) => known === name);
    if (earlier !== undefined)
      raise('TypeError', `${repr(name)} already defined as ${repr(earlier[1])}`);
  }
  return entries;
}

function pair(parts: readonly Value[]): readonly [string, Value] {
  const [name = null, value = null] = parts;
  if (parts.length < 2)
    raise('ValueError', `not enough values to unpack (expected 2, got ${parts.length})`);
  if (parts.length > 2) raise('ValueError', 'too many values to unpack (expected 2)');
  return [
    asText(name) ?? raise('TypeError', `object of type '${typeName(name)}' has no len()`),
    value,
  ];
}

/** What `auto()` stands for. */
function nextValue(cls: EnumClass, name: string, count: number, before: readonly Value[]): Value {
  const own = cls.lookup('_generate_next_value_');
  const fn = own instanceof PyUnboundMethod ? own.describe(null, cls) : own;
  if (fn instanceof PyObject && !(fn instanceof PyBuiltin))
    return call(fn, [name, 1, count, new PyList([...before])]);
  if (cls.traits.showsValue && cls.traits.data === types.str) return name.toLowerCase();
  if (cls.isFlag) return nextFlag(count, before);
  const last = before.at(-1);
  if (last === undefined) return 1;
  const inOrder = catching(['TypeError'], () => sorted(before, undefined, false));
  const isLargest = inOrder !== undefined && equals(inOrder.at(-1) ?? null, last);
  const candidates = isLargest ? [last] : [...(inOrder ?? before)].reverse();
  const following = candidates.map((v) => catching(['TypeError'], () => add(v, 1)));
  return following.find((v) => v !== undefined) ?? 1;
}

function nextFlag(count: number, before: readonly Value[]): Value {
  if (count === 0 || before.length === 0) return 1;
  const largest = sorted(before, undefined, false).at(-1) ?? null;
  const int = asInt(largest);
  return int === undefined
    ? raise('TypeError', `invalid flag value ${repr(largest)}`)
    : binary('**', 2, int > 0 ? bitLength(int) : 0);
}

/** The enumeration that a `class` statement defines. @throws TypeError, ValueError */
function define({
  named: { name, qualifiedName, module },
  bases,
  body,
  options,
}: ClassDefinition): PyClass {
  const first = bases.at(-1);
  for (const base of bases)
    if (base instanceof EnumClass && base.members.size > 0)
      raise('TypeError', `<enum '${name}'> cannot extend ${base.repr()}`);
  if (!(first instanceof EnumClass))
    return raise(
      'TypeError',
      'new enumerations should be created as `EnumName([mixin_type, ...] [data_type,] enum_type)`',
    );
  const parents = bases.map((base) =>
    base instanceof EnumClass || (base instanceof PyClass && DATA.includes(base))
      ? base
      : extensible(base),
  );
  tick(20);
  const cell: Cell = { cls: undefined };
  const entries = body(cell);
  const label = { qualifiedName, module: typeof module === 'string' ? module : 'builtins' };
  const made = new EnumClass(name, parents, traitsOf(first, bases, options), {
    isUser: true,
    ...label,
  });
  // Not as the built-in type makes its values.
  made.create = first.create;
  cell.cls = made;
  fill(made, entries);
  return made;
}

function traitsOf(first: EnumClass, others: readonly Value[], options: Kwargs): Traits {
  const mixed = others.find((base) => DATA.some((cls) => cls === base));
  const data = first.traits.data ?? (mixed instanceof PyClass ? mixed : undefined);
  const given = asText(options.get('boundary'));
  const boundary = BOUNDARIES.find((one) => one === given) ?? first.traits.boundary;
  return { ...first.traits, data, boundary: first.isFlag ? boundary : undefined };
}

/**
 * Puts what a class body defined into the class: plain attributes first,
 * since members may need its methods.
 */
function fill(cls: EnumClass, entries: Entries): void {
  const ignored = ignoredIn(entries);
  const members: [string, Value][] = [];
  for (const [name, value] of entries) {
    if (value === undefined || ignored.has(name) || MADE.has(name)) continue;
    if (isMemberEntry(cls, name, value))
      members.push([name, value instanceof MarkedMember ? value.value : value]);
    else cls.dict.set(name, implied(name, value instanceof MarkedMember ? value.value : value));
  }
  const before: Value[] = [];
  for (const [name, value] of members) {
    tick(10 + cls.members.size);
    if (name === 'mro' || name === '') raise('ValueError', `invalid enum member name(s) '${name}'`);
    const next = (): Value => nextValue(cls, name, before.length, before);
    const settled =
      value instanceof PyTuple && value.items.some((item) => item instanceof Auto)
        ? new PyTuple(value.items.map((item) => resolved(item, next)))
        : resolved(value, next);
    before.push(
      settled instanceof PyTuple && value instanceof PyTuple && value !== settled
        ? (settled.items[0] ?? null)
        : settled,
    );
    addMember(cls, name, settled);
  }
}

function ignoredIn(entries: Entries): ReadonlySet<string> {
  const given = entries.find(([name]) => name === '_ignore_')?.[1];
  if (given === undefined) return new Set();
  return new Set(
    typeof given === 'string'
      ? given.replaceAll(',', ' ').split(/\s+/)
      : items(given).map((item) => str(item)),
  );
}

function isMemberEntry(cls: EnumClass, name: string, value: Value): boolean {
  if (/^__.*__$/.test(name) || name.startsWith(`_${cls.name.replace(/^_+/, '')}__`)) return false;
  if (/^_[^_].*[^_]_$|^_[^_]_$/.test(name)) {
    if (!SUNDER.has(name))
      raise(
        'ValueError',
        `_sunder_ names, such as ${repr(name)}, are reserved for future Enum use`,
      );
    return false;
  }
  if (value instanceof MarkedMember) return value.cls === memberClass;
  return !isDescriptor(value);
}

function isDescriptor(v: Value): boolean {
  return (
    v instanceof PyFunction ||
    v instanceof PyProperty ||
    v instanceof PyUnboundMethod ||
    (v instanceof PyInstance && v.cls.definesSpecial('__get__'))
  );
}

function addMember(cls: EnumClass, name: string, value: Value): void {
  const made = instanceOf(cls, value);
  made.attributes.set('_name_', name);
  const init = cls.definesSpecial('__init__') ? cls.lookupFor(made, '__init__') : undefined;
  if (init instanceof PyObject) call(init, argumentsOf(value));
  const known = cls.memberOf(made.value);
  const isCanonical = known === undefined && (!cls.isFlag || isSingleBit(made.value));
  cls.add(name, known ?? made, isCanonical);
}

/** The instance that becomes a member, with what its class makes of the value. */
function instanceOf(cls: EnumClass, value: Value): EnumMember {
  const maker = cls.definesSpecial('__new__') ? cls.lookupFor(null, '__new__') : undefined;
  const args = argumentsOf(value);
  const made = maker instanceof PyObject ? call(maker, [cls, ...args]) : cls.create(cls, []);
  if (!(made instanceof EnumMember))
    return raise('TypeError', `__new__ of '${cls.name}' made no member`);
  const { data } = cls.traits;
  if (data !== undefined) {
    if (
      cls.traits.showsValue &&
      data === types.str &&
      maker === undefined &&
      asText(value) === undefined &&
      args.length === 1
    )
      raise('TypeError', `${repr(args[0] ?? null)} is not a string`);
    made.data ??= data.create(data, args);
    if (!made.attributes.has('_value_')) made.attributes.set('_value_', made.data);
  }
  if (!made.attributes.has('_value_')) made.attributes.set('_value_', value);
  return made;
}

/** `int.__new__(cls, 5)` inside of an enumeration's `__new__`. */
function bareMaker(data: PyClass): (name: string) => Value | undefined {
  const make = new PyBuiltin('__new__', ([cls = null, ...args]) => {
    if (!(cls instanceof EnumClass) || !cls.isSubclassOf(data))
      return raise(
        'TypeError',
        `${data.name}.__new__(${repr(cls)}): this is not a subtype of ${data.name}`,
      );
    const made = new EnumMember(cls);
    made.data = data.create(data, args);
    return made;
  });
  return (name) => (name === '__new__' ? make : undefined);
}
