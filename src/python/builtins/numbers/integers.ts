import { raise } from '../../errors.ts';
import { tick } from '../../meter.ts';
import { PyInstance } from '../../objects/classes/instance.ts';
import { asIndex, asInt, bitLength, integer, notAnInteger } from '../../objects/numbers/number.ts';
import type { Value } from '../../objects/object.ts';
import { binary } from '../../objects/numbers/arithmetic.ts';

export function based(v: Value, prefix: string, radix: number): string {
  const n = asIndex(v);
  if (n === undefined) return notAnInteger(v);
  if (bitLength(n) > 60_000) raise('ValueError', 'int too large to format');
  const size = n < 0 ? -BigInt(n) : BigInt(n);
  return `${n < 0 ? '-' : ''}${prefix}${size.toString(radix)}`;
}

export function powerOf(base: Value, exponent: Value, modulus: Value | undefined): Value {
  if (modulus === undefined || modulus === null) return binary('**', base, exponent);
  const own = base instanceof PyInstance ? base.operator('__pow__', exponent, modulus) : undefined;
  if (own !== undefined) return own;
  const [b, e, m] = [base, exponent, modulus].map(asInt);
  if (b === undefined || e === undefined || m === undefined)
    return raise('TypeError', 'pow() 3rd argument not allowed unless all arguments are integers');
  if (Number(m) === 0) raise('ValueError', 'pow() 3rd argument cannot be 0');
  if (e < 0) return powerOf(inverse(BigInt(b), BigInt(m)), integer(-BigInt(e)), m);
  tick(bitLength(e) * (1 + (bitLength(m) >> 6) ** 2));
  let [result, square, rest] = [1n, BigInt(b) % BigInt(m), BigInt(e)];
  for (; rest > 0n; rest >>= 1n) {
    if (rest % 2n === 1n) result = (result * square) % BigInt(m);
    square = (square * square) % BigInt(m);
  }
  return binary('%', Number.isSafeInteger(Number(result)) ? Number(result) : result, m);
}

/** The inverse of `n` modulo `m`. @throws ValueError when there is none */
function inverse(n: bigint, m: bigint): number | bigint {
  const size = m < 0n ? -m : m;
  let [a, b, x, y] = [((n % size) + size) % size, size, 1n, 0n];
  while (b !== 0n) {
    tick(1);
    [a, b, x, y] = [b, a % b, y, x - (a / b) * y];
  }
  return a === 1n || size === 1n
    ? integer(x)
    : raise('ValueError', 'base is not invertible for the given modulus');
}
