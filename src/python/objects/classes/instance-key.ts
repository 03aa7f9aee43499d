import { raise } from '../../errors.ts';
import { tick } from '../../meter.ts';
import { equals } from '../compare.ts';
import { keyOf } from '../key.ts';
import { asInt } from '../numbers/number.ts';
import type { Key, PyObject, Value } from '../object.ts';
import type { PyClass } from '../class.ts';

/** The part of an instance that hashing needs. */
type Hashed = PyObject & { special(name: string): Value | undefined };

/**
 * Instances that represent all equal to them, by class and hash. They live as long as their class.
 */
const representatives = new WeakMap<PyClass, Map<Key, Hashed[]>>();

/**
 * Which of `__eq__` and `__hash__` the nearest class with either defines; None as `__hash__` counts
 * as none.
 */
export function hashMethod(cls: PyClass): 'identity' | 'own' | 'none' {
  for (const each of cls.mro) {
    const hash: Value | undefined = each.dict.get('__hash__');
    if (hash !== undefined) return hash === null ? 'none' : 'own';
    if (each.dict.has('__eq__')) return 'none';
  }
  return 'identity';
}

/** The result of the class's `__hash__`; `undefined` without one. @throws TypeError */
export function ownHash(instance: Hashed): number | bigint | undefined {
  switch (hashMethod(instance.cls)) {
    case 'identity':
      return undefined;
    case 'none':
      return raise('TypeError', `unhashable type: '${instance.cls.name}'`);
    default:
      return (
        asInt(instance.special('__hash__') ?? null) ??
        raise('TypeError', '__hash__ method should return an integer')
      );
  }
}

/**
 * The hash-table key of an instance: itself, or the first equal instance of its class with the same
 * hash.
 */
export function instanceKey(instance: Hashed): Key {
  const hash = ownHash(instance);
  if (hash === undefined) return instance;
  const byHash = representatives.get(instance.cls) ?? new Map<Key, Hashed[]>();
  representatives.set(instance.cls, byHash);
  const bucket = byHash.get(keyOf(hash)) ?? [];
  byHash.set(keyOf(hash), bucket);
  tick(bucket.length);
  const found = bucket.find((other) => other === instance || equals(other, instance));
  if (found !== undefined) return found;
  bucket.push(instance);
  return instance;
}
