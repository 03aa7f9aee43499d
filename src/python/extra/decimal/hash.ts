import { tick } from '../../meter.ts';
import { hashFloat, hashInt } from '../../objects/numbers/hash.ts';
import type { Dec } from './number.ts';

const MODULUS = (1n << 61n) - 1n;

/** The hash of the number modulo a prime, the same for equal numbers of all types. */
export function hashed(dec: Dec): bigint {
  if (dec.kind === 'infinite') return hashFloat(dec.sign * Infinity);
  tick(64);
  let [result, base] = [
    dec.coefficient % MODULUS,
    dec.exponent >= 0 ? 10n : powered(10n, MODULUS - 2n),
  ];
  base = powered(base, BigInt(Math.abs(dec.exponent)));
  result = (result * base) % MODULUS;
  return hashInt(dec.sign < 0 ? -result : result);
}

function powered(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, base];
  for (let n = exponent; n > 0n; n >>= 1n) {
    if (n % 2n === 1n) result = (result * square) % MODULUS;
    square = (square * square) % MODULUS;
  }
  return result;
}
