import { tick } from '../frame.ts';
import { hashFloat, hashInt } from '../objects/hash.ts';
import { PyInstance } from '../objects/instance.ts';
import { ownHash } from '../objects/instance-key.ts';
import { identityOf, keyOf } from '../objects/key.ts';
import { asFloat, asInt, integer } from '../objects/number.ts';
import { PyObject } from '../objects/object.ts';
import type { Value } from '../objects/object.ts';

/**
 * Python's hash: of numbers what CPython gives, of anything else some number that equal values share.
 * @throws TypeError for a value without a hash
 */
export function hash(v: Value): number | bigint {
  const n = asInt(v);
  if (n !== undefined) return integer(hashInt(n));
  const x = asFloat(v);
  if (x !== undefined) return integer(hashFloat(x));
  const own = v instanceof PyInstance ? ownHash(v) : undefined;
  if (own !== undefined) return integer(BigInt.asIntN(61, BigInt(own)));
  if (v === '') return 0;
  const key = keyOf(v);
  const text = key instanceof PyObject ? `o${identityOf(key)}` : `${typeof key}${String(key)}`;
  tick(text.length >> 3);
  let h = 7;
  for (let i = 0; i < text.length; i += 1) h = (h * 31 + text.charCodeAt(i)) % 2147483647;
  return h;
}
