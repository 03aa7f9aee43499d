import { tick } from '../../meter.ts';
import { identityShown, keyOf } from '../key.ts';
import { integer } from './number.ts';
import { PyObject } from '../object.ts';
import type { Value } from '../object.ts';
import { steadyHash } from './steady-hash.ts';

/**
 * Python's hash: CPython's value for numbers and tuples of numbers; for anything else a number that
 * equal values share.
 * @throws TypeError for a value without a hash
 */
export function hash(v: Value): number | bigint {
  const steady = steadyHash(v);
  if (steady !== undefined) return integer(steady);
  const key = keyOf(v);
  const text = key instanceof PyObject ? `o${identityShown(key)}` : `${typeof key}${String(key)}`;
  tick(text.length >> 3);
  let h = 7;
  for (let i = 0; i < text.length; i += 1) h = (h * 31 + text.charCodeAt(i)) % 2147483647;
  return h;
}
