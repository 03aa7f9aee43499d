import { PyObject } from './object.ts';
import type { Key, Value } from './object.ts';

/**
 * First character of keys that stand for a tuple or a frozenset; real strings
 * that begin with it are escaped.
 */
export const COMPOUND = '\u0000';

/**
 * The hash-table key of a value: 1, 1.0 and True share one.
 * @throws TypeError for lists, dicts and sets
 */
export function keyOf(v: Value): Key {
  if (typeof v === 'string') return v.startsWith(COMPOUND) ? `${COMPOUND}s${v}` : v;
  if (typeof v === 'number') return v + 0;
  if (typeof v === 'boolean') return Number(v);
  return v instanceof PyObject ? v.key() : v;
}

/** Whether a key stands for instances whose class says what they hash as. */
export function ownsHash(key: Key): boolean {
  return key instanceof PyObject && key.ownsHash();
}

const identities = new WeakMap<PyObject, number>();
let lastIdentity = 0;

/** A number that no other object has. */
export function identityKeyOf(object: PyObject): number {
  const known = identities.get(object);
  if (known !== undefined) return known;
  lastIdentity += 1;
  identities.set(object, lastIdentity);
  return lastIdentity;
}

/**
 * A key as text, so that the keys of several elements can be joined without two
 * different lists looking the same.
 */
export function keyText(key: Key): string {
  if (typeof key === 'string') return `s${key.length}:${key}`;
  if (key instanceof PyObject) return `o${identityKeyOf(key)};`;
  return `n${String(key)};`;
}
