import { raise } from '../../errors.ts';
import { tick } from '../../frame.ts';
import { equals } from '../compare.ts';
import type { PyInstance } from './instance.ts';
import { keyOf } from '../key.ts';
import { asInt } from '../numbers/number.ts';
import type { Key, PyClass, Value } from '../object.ts';

/**
 * The instances that stand for all those equal to them, by class and
 * hash. They die with their class.
 */
const representatives = new WeakMap<PyClass, Map<Key, PyInstance[]>>();

/**
 * Which of `__eq__` and `__hash__` the nearest class that has either defines; None
 * for `__hash__` counts as none.
 */
export function hashMethod(cls: PyClass): 'identity' | 'own' | 'none' {
  for (const each of cls.mro) {
    const hash: Value | undefined = each.dict.get('__hash__');
    if (hash !== undefined) return hash === null ? 'none' : 'own';
    if (each.dict.has('__eq__')) return 'none';
  }
  return 'identity';
}

/** What the class's `__hash__` gives; `undefined` when it has none of its own. @throws TypeError */
export function ownHash(instance: PyInstance): number | bigint | undefined {
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
 * The hash-table key of an instance: itself, or the first instance of its
 * class with its hash that equals it.
 */
export function instanceKey(instance: PyInstance): Key {
  const hash = ownHash(instance);
  if (hash === undefined) return instance;
  const byHash = representatives.get(instance.cls) ?? new Map<Key, PyInstance[]>();
  representatives.set(instance.cls, byHash);
  const bucket = byHash.get(keyOf(hash)) ?? [];
  byHash.set(keyOf(hash), bucket);
  tick(bucket.length);
  const found = bucket.find((other) => other === instance || equals(other, instance));
  if (found !== undefined) return found;
  bucket.push(instance);
  return instance;
}
