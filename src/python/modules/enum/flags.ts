import { raise } from '../../errors.ts';
import { tick } from '../../meter.ts';
import { overArray } from '../../objects/collections/iterator.ts';
import { asInt, bitLength, integer } from '../../objects/numbers/number.ts';
import { typeOf } from '../../objects/types.ts';
import type { BinaryOp, PyIterator, Value } from '../../objects/object.ts';
import { repr } from '../../text/repr.ts';
import type { EnumClass } from './class.ts';
import { EnumMember, isMember } from './member.ts';

export function flagIterate(cls: EnumClass, value: Value): PyIterator {
  return overArray('generator', partsOf(cls, bitsOf(value)));
}

/**
 * The flag for a value that no member has, or the int itself where the class ejects it.
 * @throws ValueError
 */
export function flagOf(cls: EnumClass, given: Value): Value | undefined {
  const int = asInt(given);
  if (int === undefined || cls.canonical.length + cls.members.size === 0) return undefined;
  const { flags, all } = masks(cls);
  let value = BigInt(int);
  if (value > all || value < ~all || (value & (all ^ flags)) !== 0n) {
    const { boundary } = cls.traits;
    if (boundary === 'strict') {
      const width = Math.max(bitLength(int), bitLength(flags));
      raise(
        'ValueError',
        `${cls.repr()} invalid value ${repr(given)}\n    given ${inBits(value, width)}\n` +
          `  allowed ${inBits(flags, width)}`,
      );
    }
    if (boundary === 'eject') return given;
    if (boundary === 'conform') value &= flags;
    else if (value < 0n)
      value +=
        all + 1n > 1n << BigInt(bitLength(value)) ? all + 1n : 1n << BigInt(bitLength(value));
  }
  if (value < 0n) value += all + 1n;
  const unknown = value & ~flags;
  if (unknown !== 0n && cls.traits.boundary !== 'keep')
    raise(
      'ValueError',
      `${cls.name}(${value}) -->  unknown values ${unknown} [0b${unknown.toString(2)}]`,
    );
  return cls.memberOf(integer(value)) ?? composed(cls, value);
}

export function isSingleBit(v: Value): boolean {
  const n = bitsOf(v);
  return n > 0n && (n & (n - 1n)) === 0n;
}

/** `|`, `&` and `^`, in either order of operands. */
export function flagBinary(
  self: EnumMember,
  op: BinaryOp,
  other: Value,
  isReflected = false,
): Value | undefined {
  // Python asks a bool first, and it treats the flag as an int.
  if ((op !== '|' && op !== '&' && op !== '^') || (isReflected && typeof other === 'boolean'))
    return undefined;
  const theirs = operand(self, other);
  if (theirs === undefined) return undefined;
  const ours = bitsOf(self.value);
  return self.cls.call([
    integer(op === '|' ? ours | theirs : op === '&' ? ours & theirs : ours ^ theirs),
  ]);
}

export function flagInverse(self: EnumMember): Value {
  const value = bitsOf(self.value);
  const { boundary } = self.cls.traits;
  return self.cls.call([
    integer(
      boundary === 'keep' || boundary === 'eject' ? ~value : masks(self.cls).singles & ~value,
    ),
  ]);
}

export function flagContains(self: EnumMember, other: Value): boolean {
  if (!isMember(other) || !other.cls.isSubclassOf(self.cls))
    return raise(
      'TypeError',
      `unsupported operand type(s) for 'in': '${typeOf(other).qualifiedName}' and '${self.cls.qualifiedName}'`,
    );
  return (bitsOf(other.value) & bitsOf(self.value)) === bitsOf(other.value);
}

/** The members that a value consists of, in the order of definition. */
function partsOf(cls: EnumClass, value: bigint): EnumMember[] {
  tick(1 + cls.canonical.length);
  return cls.canonical.filter((member) => (bitsOf(member.value) & value) !== 0n);
}

function bitsOf(v: Value): bigint {
  return BigInt(asInt(v) ?? 0);
}

/** The bits of one-bit members, of all members, and all bits up to the highest of these. */
function masks(cls: EnumClass): {
  readonly singles: bigint;
  readonly flags: bigint;
  readonly all: bigint;
} {
  const values = [...cls.members.values()].map(({ value }) => bitsOf(value));
  const singles = cls.canonical.reduce((sum, { value }) => sum | bitsOf(value), 0n);
  const flags = values.reduce((sum, value) => sum | value, 0n);
  return { singles, flags, all: (1n << BigInt(bitLength(flags))) - 1n };
}

function inBits(value: bigint, width: number): string {
  const size = value < 0n ? value + (1n << BigInt(width)) : value;
  return `0b${value < 0n ? 1 : 0} ${size.toString(2).padStart(width, value < 0n ? '1' : '0')}`;
}

function composed(cls: EnumClass, value: bigint): EnumMember {
  tick(10);
  const made = new EnumMember(cls);
  made.attributes.set('_value_', integer(value));
  if (cls.traits.data !== undefined) made.data = integer(value);
  made.attributes.set('_name_', nameOf(cls, value));
  // An enumeration of the library lasts, and a number may have any bits.
  if (cls.isUser || (value & ~masks(cls).flags) === 0n) cls.keep(integer(value), made);
  return made;
}

/**
 * The names of the members that a value consists of, those of several bits last; null when there
 * are none.
 */
function nameOf(cls: EnumClass, value: bigint): string | null {
  const { singles } = masks(cls);
  const parts = partsOf(cls, value & singles);
  const isInside = (member: EnumMember): boolean =>
    bitsOf(member.value) !== 0n && (bitsOf(member.value) & value) === bitsOf(member.value);
  if ((value & ~singles) !== 0n)
    for (const member of cls.members.values())
      if (!parts.includes(member) && isInside(member)) parts.push(member);
  const known = parts.reduce((sum, member) => sum | bitsOf(member.value), 0n);
  const unknown = value ^ known;
  if (known === 0n) return null;
  if (unknown !== 0n && cls.traits.boundary === 'strict')
    raise('ValueError', `${cls.repr()}: no members with value ${unknown}`);
  const names = parts.flatMap(({ label }) => (label === null ? [] : [label]));
  return (unknown === 0n ? names : [...names, String(unknown)]).join('|');
}

/** The bits of an operand; `undefined` for other values. */
function operand(self: EnumMember, other: Value): bigint | undefined {
  if (isMember(other) && other.cls.isSubclassOf(self.cls)) return bitsOf(other.value);
  const int = self.cls.traits.data && asInt(other);
  return int === undefined ? undefined : BigInt(int);
}
