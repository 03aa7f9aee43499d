import { exactly } from '../text/float.ts';

const MODULUS = (1n << 61n) - 1n;

/** Python's hash of an int. */
export function hashInt(n: number | bigint): bigint {
  const size = BigInt(n < 0 ? -n : n) % MODULUS;
  const hash = n < 0 ? -size : size;
  return hash === -1n ? -2n : hash;
}

/** Python's hash of a float; integral ones hash as their int. NaN, which hashes by identity there, gives 0. */
export function hashFloat(x: number): bigint {
  if (Number.isNaN(x)) return 0n;
  if (!Number.isFinite(x)) return x > 0 ? 314159n : -314159n;
  const { mantissa, exponent } = exactly(x);
  const turn = BigInt(((exponent % 61) + 61) % 61);
  const size = (mantissa << turn) % MODULUS;
  const hash = x < 0 ? -size : size;
  return hash === -1n ? -2n : hash;
}
