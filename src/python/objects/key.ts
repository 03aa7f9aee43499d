import { frame } from '../frame.ts';
import { PyObject } from './object.ts';
import type { Key, Value } from './object.ts';

/**
 * First character of keys that stand for a tuple or a frozenset; a string that begins with it is
 * escaped.
 */
export const COMPOUND = '\u0000';

/**
 * The hash-table key of a value: 1, 1.0 and True have the same.
 * @throws TypeError for lists, dicts and sets
 */
export function keyOf(v: Value): Key {
  if (typeof v === 'string') return v.startsWith(COMPOUND) ? `${COMPOUND}s${v}` : v;
  if (typeof v === 'number') return v + 0;
  if (typeof v === 'boolean') return Number(v);
  return v instanceof PyObject ? v.key() : v;
}

/** Whether a key stands for instances whose class defines their hash. */
export function ownsHash(key: Key): boolean {
  return key instanceof PyObject && key.ownsHash();
}

const identities = new WeakMap<PyObject, number>();
let lastIdentity = 0;

/** A number unique to the object. */
export function identityKeyOf(object: PyObject): number {
  const known = identities.get(object);
  if (known !== undefined) return known;
  lastIdentity += 1;
  identities.set(object, lastIdentity);
  return lastIdentity;
}

/**
 * The number of an object as rules see it (`id`, `hash`). It depends on what was decided before, so
 * an evaluation that reads it is no more repeatable than one that reads the clock.
 */
export function identityShown(object: PyObject): number {
  frame.now?.();
  return identityKeyOf(object);
}

/** A key as text, so that joined keys of different lists differ. */
export function keyText(key: Key): string {
  if (typeof key === 'string') return `s${key.length}:${key}`;
  if (key instanceof PyObject) return `o${identityKeyOf(key)};`;
  return `n${String(key)};`;
}
