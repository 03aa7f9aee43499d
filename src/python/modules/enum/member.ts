import { raise } from '../../errors.ts';
import { binary, unary } from '../../objects/numbers/arithmetic.ts';
import { equals, orderOf, truthy } from '../../objects/compare.ts';
import { PyInstance } from '../../objects/classes/instance.ts';
import { keyOf } from '../../objects/key.ts';
import { asInt, asNumber } from '../../objects/numbers/number.ts';
import { PyObject, underlyingOf } from '../../objects/object.ts';
import { typeOf, types } from '../../objects/types.ts';
import type { BinaryOp, Key, OrderOp, PyIterator, UnaryOp, Value } from '../../objects/object.ts';
import { contains, iterate, lengthOf } from '../../objects/protocol.ts';
import { steadyHash } from '../../objects/numbers/steady-hash.ts';
import { stringItem } from '../../text/characters.ts';
import { format } from '../../text/format.ts';
import { repr, str } from '../../text/repr.ts';
import type { EnumClass } from './class.ts';
import { flagBinary, flagContains, flagInverse, flagIterate } from './flags.ts';

/** A member of an enumeration. Its name and value are the attributes `_name_` and `_value_`. */
export class EnumMember extends PyInstance {
  override readonly cls: EnumClass;
  /** Its value as an int, float or str. */
  data: Value | undefined;

  constructor(cls: EnumClass) {
    super(cls);
    this.cls = cls;
  }
  override get underlying(): Value | undefined {
    return this.data;
  }
  get value(): Value {
    return this.attributes.get('_value_') ?? null;
  }
  /** Its name; null for a flag without bits. */
  get label(): string | null {
    const name = this.attributes.get('_name_') ?? null;
    return name === null ? null : str(name);
  }

  /** Whether a class of the snippet defines the method. */
  #own(name: string): boolean {
    return this.cls.definesSpecial(name);
  }
  override nativeRepr(): string {
    const { label, value } = this;
    const { shownIn } = this.cls.traits;
    if (shownIn !== undefined && label !== null) return globalName(shownIn, label);
    return label === null
      ? `<${this.cls.name}: ${repr(value)}>`
      : `<${this.cls.name}.${label}: ${repr(value)}>`;
  }
  override nativeStr(): string {
    if (this.cls.traits.shownIn !== undefined) return this.nativeRepr();
    if (this.cls.traits.showsValue && this.data !== undefined) return str(this.data);
    return this.label === null
      ? `${this.cls.name}(${repr(this.value)})`
      : `${this.cls.name}.${this.label}`;
  }
  override format(spec: string): string {
    if (this.#own('__format__')) return super.format(spec);
    if (spec === '') return this.str();
    return format(
      this.cls.traits.showsValue && this.data !== undefined ? this.data : this.str(),
      spec,
    );
  }
  override truthy(): boolean {
    if (this.#own('__bool__') || this.#own('__len__')) return super.truthy();
    if (this.data !== undefined) return truthy(this.data);
    return this.cls.isFlag ? truthy(this.value) : true;
  }
  override key(): Key {
    return this.data === undefined || !this.hashesByIdentity ? super.key() : keyOf(this.data);
  }
  override steadyHash(): bigint | undefined {
    return this.data === undefined || !this.hashesByIdentity
      ? super.steadyHash()
      : steadyHash(this.data);
  }
  override equals(other: Value): Value | undefined {
    if (this.data === undefined || this.#own('__eq__')) return super.equals(other);
    const theirs = underlyingOf(other);
    return theirs instanceof PyObject && asNumber(theirs) === undefined
      ? undefined
      : equals(this.data, theirs);
  }
  override order(op: OrderOp, other: Value): Value | undefined {
    const own = super.order(op, other);
    if (own !== undefined || this.data === undefined) return own;
    const theirs = underlyingOf(other);
    const isComparable =
      typeof this.data === 'string' ? typeof theirs === 'string' : asNumber(theirs) !== undefined;
    return isComparable ? orderOf(op, this.data, theirs) : undefined;
  }
  override index(): number | bigint | undefined {
    return this.data === undefined ? super.index() : asInt(this.data);
  }
  override length(): number {
    if (this.#own('__len__')) return super.length();
    if (this.cls.isFlag) return bits(this.value);
    return typeof this.data === 'string' ? lengthOf(this.data) : super.length();
  }
  override iterate(): PyIterator {
    if (this.#own('__iter__')) return super.iterate();
    if (this.cls.isFlag) return flagIterate(this.cls, this.value);
    return typeof this.data === 'string' ? iterate(this.data) : super.iterate();
  }
  override item(key: Value): Value {
    return typeof this.data === 'string' && !this.#own('__getitem__')
      ? stringItem(this.data, key)
      : super.item(key);
  }
  override contains(item: Value): boolean | undefined {
    const own = super.contains(item);
    if (own !== undefined) return own;
    if (this.cls.isFlag) return flagContains(this, item);
    return typeof this.data === 'string' ? contains(this.data, item) : undefined;
  }
  /** Whether the operator belongs to its int, float or str. */
  #takes(op: BinaryOp, other: Value): boolean {
    if (typeof this.data !== 'string')
      return this.data !== undefined && asNumber(other) !== undefined;
    return (
      op === '%' ||
      (op === '*' ? asInt(other) !== undefined : op === '+' && typeof other === 'string')
    );
  }
  override binary(op: BinaryOp, right: Value): Value | undefined {
    const own =
      super.binary(op, right) ?? (this.cls.isFlag ? flagBinary(this, op, right) : undefined);
    if (own !== undefined || this.data === undefined) return own;
    const theirs = op === '%' && typeof this.data === 'string' ? right : underlyingOf(right);
    return this.#takes(op, theirs) ? binary(op, this.data, theirs) : undefined;
  }
  override reflected(op: BinaryOp, left: Value): Value | undefined {
    const own =
      super.reflected(op, left) ?? (this.cls.isFlag ? flagBinary(this, op, left, true) : undefined);
    if (own !== undefined || this.data === undefined) return own;
    const theirs = underlyingOf(left);
    return this.#takes(op, theirs) ? binary(op, theirs, this.data) : undefined;
  }
  override unary(op: UnaryOp): Value | undefined {
    const own = super.unary(op) ?? (this.cls.isFlag && op === '~' ? flagInverse(this) : undefined);
    if (own !== undefined || this.data === undefined || typeof this.data === 'string') return own;
    return unary(op, this.data);
  }

  override attribute(name: string): Value | undefined {
    const { data } = this;
    if (data !== undefined && !this.attributes.has(name)) {
      // Methods of the built-in type are methods of the value.
      const owner = this.cls.mro.find((cls) => cls.dict.has(name));
      if (owner !== undefined && owner !== types.object && typeOf(data).isSubclassOf(owner))
        return typeOf(data).lookupFor(data, name);
    }
    return super.attribute(name);
  }
  override setAttribute(name: string, value: Value): void {
    if ((name === 'name' || name === 'value') && !this.#own(name))
      raise('AttributeError', `<enum 'Enum'> cannot set attribute '${name}'`);
    if (!this.cls.isUser)
      raise('AttributeError', `'${this.cls.name}' object attribute '${name}' is read-only`);
    super.setAttribute(name, value);
  }
  override deleteAttribute(name: string): void {
    if (!this.cls.isUser)
      raise('AttributeError', `'${this.cls.name}' object attribute '${name}' is read-only`);
    super.deleteAttribute(name);
  }
}

export function isMember(v: Value): v is EnumMember {
  return v instanceof EnumMember;
}

/** The names of a flag's parts, each with its module; bits that have none are a number. */
function globalName(module: string, label: string): string {
  return label
    .split('|')
    .map((part) => (/^\d/.test(part) ? part : `${module}.${part}`))
    .join('|');
}

function bits(value: Value): number {
  const n = asInt(value);
  return n === undefined
    ? 0
    : (BigInt(n < 0 ? -n : n)
        .toString(2)
        .match(/1/g)?.length ?? 0);
}
