import { PyClass } from '../class.ts';
import { PyObject } from '../object.ts';
import { types } from '../types.ts';
import type { Value } from '../object.ts';
import { PyProperty, PyUnboundMethod } from './descriptors.ts';

/** `abc.ABC`: classes that extend it make no instances while they have abstract methods. */
export const abstractBase = new PyClass('ABC', [types.object], { module: 'abc' });
abstractBase.slots = new Set();

const marked = new WeakSet<PyObject>();

/** `@abc.abstractmethod`. */
export function markAbstract(v: Value): Value {
  if (v instanceof PyObject) marked.add(v);
  return v;
}

/** The names of a new class that are abstract: its own, and those that it inherits. */
export function abstractNames(cls: PyClass): readonly string[] {
  if (!cls.isSubclassOf(abstractBase)) return [];
  const names = new Set([...cls.dict.keys(), ...cls.bases.flatMap((base) => base.abstract)]);
  return [...names].filter((name) => isAbstract(cls.lookup(name))).sort();
}

function isAbstract(v: Value | undefined): boolean {
  if (!(v instanceof PyObject)) return false;
  if (marked.has(v)) return true;
  return (v instanceof PyProperty || v instanceof PyUnboundMethod) && v.functions.some(isAbstract);
}
