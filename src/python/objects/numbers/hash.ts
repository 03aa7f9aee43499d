import { exactly } from '../../text/float.ts';

const MODULUS = (1n << 61n) - 1n;

/** Python's hash of an int. */
export function hashInt(n: number | bigint): bigint {
  const size = BigInt(n < 0 ? -n : n) % MODULUS;
  const hash = n < 0 ? -size : size;
  return hash === -1n ? -2n : hash;
}

/**
 * Python's hash of a float; integral ones hash as their int. NaN gives 0; CPython hashes it by
 * identity.
 */
export function hashFloat(x: number): bigint {
  if (Number.isNaN(x)) return 0n;
  if (!Number.isFinite(x)) return x > 0 ? 314159n : -314159n;
  const { mantissa, exponent } = exactly(x);
  const turn = BigInt(((exponent % 61) + 61) % 61);
  const size = (mantissa << turn) % MODULUS;
  const hash = x < 0 ? -size : size;
  return hash === -1n ? -2n : hash;
}

const WORD = 64;
const [FIRST, SECOND, FIFTH] = [11400714785074694791n, 14029467366897019727n, 2870177450012600261n];

/** CPython's hash of a tuple from the hashes of its elements. */
export function hashTuple(elements: readonly bigint[]): bigint {
  let sum = FIFTH;
  for (const hash of elements) {
    sum = unsigned(sum + unsigned(hash) * SECOND);
    sum = unsigned((sum << 31n) | (sum >> 33n));
    sum = unsigned(sum * FIRST);
  }
  sum = unsigned(sum + (BigInt(elements.length) ^ (FIFTH ^ 3527539n)));
  return sum === unsigned(-1n) ? 1546275796n : BigInt.asIntN(WORD, sum);
}

/** CPython's hash of a frozenset from the hashes of its elements, in any order. */
export function hashFrozenSet(elements: readonly bigint[]): bigint {
  const shuffled = elements.map((h) =>
    unsigned((unsigned(h) ^ 89869747n ^ unsigned(h << 16n)) * 3644798167n),
  );
  let sum = shuffled.reduce((all, one) => all ^ one, 0n);
  sum ^= unsigned(BigInt(elements.length + 1) * 1927868237n);
  sum ^= (sum >> 11n) ^ (sum >> 25n);
  sum = unsigned(sum * 69069n + 907133923n);
  return sum === unsigned(-1n) ? 590923713n : BigInt.asIntN(WORD, sum);
}

function unsigned(n: bigint): bigint {
  return BigInt.asUintN(WORD, n);
}
