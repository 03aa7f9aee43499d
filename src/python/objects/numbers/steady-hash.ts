import { hashFloat, hashInt } from './hash.ts';
import { asInt } from './number.ts';
import { PyObject } from '../object.ts';
import type { Value } from '../object.ts';

/**
 * CPython's hash of a value that has the same hash in every run: a number, or a tuple of numbers.
 */
export function steadyHash(v: Value): bigint | undefined {
  const n = asInt(v);
  if (n !== undefined) return hashInt(n);
  if (typeof v === 'number') return hashFloat(v);
  if (v === '') return 0n;
  return v instanceof PyObject ? v.steadyHash() : undefined;
}

/** The hashes of all elements; `undefined` when one has no steady hash. */
export function steadyHashes(items: readonly Value[]): readonly bigint[] | undefined {
  const hashes = items.map(steadyHash).filter((hash) => hash !== undefined);
  return hashes.length === items.length ? hashes : undefined;
}
