import { raise } from '../../errors.ts';
import { payForText } from '../../text/size.ts';
import { tick } from '../../meter.ts';
import { truthy } from '../../objects/compare.ts';
import { binary } from '../../objects/numbers/arithmetic.ts';
import { PyBytes } from '../../objects/collections/bytes.ts';
import { defineClassMethod, defineMethods } from '../../objects/classes/native.ts';
import {
  asFloat,
  asInt,
  float,
  indexOf,
  integer,
  isIntValue,
  isFloatValue,
  toDouble,
} from '../../objects/numbers/number.ts';
import { call } from '../../objects/protocol.ts';
import { asText } from '../../objects/object.ts';
import { typeName, types } from '../../objects/types.ts';
import type { Value } from '../../objects/object.ts';
import { exactly } from '../../text/float.ts';
import { bytesGiven } from '../bytes.ts';
import { bytesOfHex, hexDigits } from '../../text/hex.ts';

/** Ints as bytes and floats in hexadecimal: `int.to_bytes`, `float.hex` and their inverses. */

const SPACE = String.raw`[ \t\n\v\f\r]*`;
const DIGITS = String.raw`(?:0x)?(?=\.?[0-9a-f])([0-9a-f]*)(?:\.([0-9a-f]*))?(?:p([+-]?\d+))?`;
const HEXADECIMAL = new RegExp(
  String.raw`^${SPACE}([+-]?)(?:(inf(?:inity)?|nan)|${DIGITS})${SPACE}$`,
  'i',
);

defineMethods(
  types.int,
  { is: isIntValue },
  {
    'to_bytes(length=, byteorder=, *, signed=)': (self, length, order, signed) =>
      toBytes(
        BigInt(asInt(self) ?? 0),
        length === undefined ? 1 : indexOf(length),
        isBig(order, 'to_bytes'),
        signed !== undefined && truthy(signed),
      ),
  },
);
defineClassMethod(
  types.int,
  'from_bytes(bytes, byteorder=, *, signed=)',
  (cls, bytes: Value, order, signed) => {
    const big = isBig(order, 'from_bytes');
    const n = fromBytes(bytesGiven(bytes), big, signed !== undefined && truthy(signed));
    return cls === types.int ? n : call(cls, [n]);
  },
);
defineMethods(
  types.float,
  { is: isFloatValue },
  { 'hex()': (self) => hexText(asFloat(self) ?? 0) },
);
defineClassMethod(types.float, 'fromhex(string, /)', (cls, v: Value) => {
  const x = float(
    fromHex(asText(v) ?? raise('TypeError', 'bad argument type for built-in operation')),
  );
  return cls === types.float ? x : call(cls, [x]);
});

/** Whether the most significant byte comes first. @throws TypeError, ValueError */
function isBig(v: Value | undefined, name: string): boolean {
  if (v === undefined) return true;
  const order =
    asText(v) ??
    raise('TypeError', `${name}() argument 'byteorder' must be str, not ${typeName(v)}`);
  return (
    order === 'big' ||
    (order === 'little' ? false : raise('ValueError', "byteorder must be either 'little' or 'big'"))
  );
}

function toBytes(n: bigint, length: number, big: boolean, isSigned: boolean): PyBytes {
  if (length < 0) raise('ValueError', 'length argument must be non-negative');
  if (n < 0n && !isSigned) raise('OverflowError', "can't convert negative int to unsigned");
  payForText(length);
  const bits = BigInt(length) * 8n;
  // No int is wider than this, so larger widths need no check.
  const fits =
    length > 25_001 ||
    (isSigned
      ? n === 0n || BigInt.asIntN(Number(bits), n) === n
      : BigInt.asUintN(Number(bits), n) === n);
  if (!fits) raise('OverflowError', 'int too big to convert');
  const data = new Uint8Array(length).fill(n < 0n ? 0xff : 0);
  const digits = BigInt.asUintN(Math.min(length, 25_001) * 8, n).toString(16);
  const even = digits.length % 2 === 0 ? digits : `0${digits}`;
  tick(even.length);
  const bytes = bytesOfHex(even).toReversed();
  bytes.slice(0, length).forEach((byte, i) => {
    data[big ? length - 1 - i : i] = byte;
  });
  return new PyBytes(data);
}

function fromBytes({ data }: PyBytes, big: boolean, isSigned: boolean): Value {
  tick(data.length);
  const ordered = big ? Array.from(data) : Array.from(data).reverse();
  if (ordered.length === 0) return 0;
  const first = ordered.findIndex((byte) => byte !== 0);
  if (ordered.length - Math.max(0, first) > 26_000) raise('OverflowError', 'int too large');
  const n = BigInt(`0x${hexDigits(ordered)}`);
  return integer(
    isSigned && (ordered[0] ?? 0) >= 0x80 ? n - (1n << BigInt(ordered.length * 8)) : n,
  );
}

/** `float.hex`. */
function hexText(x: number): string {
  if (Number.isNaN(x)) return 'nan';
  const sign = x < 0 || Object.is(x, -0) ? '-' : '';
  if (!Number.isFinite(x)) return `${sign}inf`;
  if (x === 0) return `${sign}0x0.0p+0`;
  const { mantissa, exponent } = exactly(x);
  const digits = (mantissa & ((1n << 52n) - 1n)).toString(16).padStart(13, '0');
  const power = exponent + 52;
  return `${sign}0x${mantissa >> 52n}.${digits}p${power < 0 ? '-' : '+'}${Math.abs(power)}`;
}

/** `float.fromhex`. @throws ValueError, OverflowError */
function fromHex(text: string): number {
  tick(text.length);
  const found =
    HEXADECIMAL.exec(text) ?? raise('ValueError', 'invalid hexadecimal floating-point string');
  const [, sign, word, whole = '', fraction = '', power = '0'] = found;
  const of = (size: number): number => (sign === '-' ? -size : size);
  if (word !== undefined) return of(word.toLowerCase() === 'nan' ? Number.NaN : Infinity);
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  if (digits === '') return of(0);
  const scale = Number(power) - fraction.length * 4;
  const size = scale + digits.length * 4;
  const tooLarge = (): never =>
    raise('OverflowError', 'hexadecimal value too large to represent as a float');
  if (size > 2000) return tooLarge();
  if (size < -2000) return of(0);
  if (digits.length > 40_000) raise('MemoryError', '');
  const n = BigInt(`0x${digits}`);
  const [over, under] = scale >= 0 ? [n << BigInt(scale), 1n] : [n, 1n << BigInt(-scale)];
  return of(size > 1100 ? tooLarge() : (divided(over, under) ?? tooLarge()));
}

/** The double nearest to a quotient; `undefined` when it overflows. */
function divided(over: bigint, under: bigint): number | undefined {
  const largest = 2n ** 1024n - 2n ** 970n;
  return over >= largest * under ? undefined : toDouble(binary('/', integer(over), integer(under)));
}
