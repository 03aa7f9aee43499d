import { raise } from '../errors.ts';
import { tick } from '../meter.ts';
import { PyDict } from '../objects/collections/dict.ts';
import { PyException } from '../objects/classes/exceptions.ts';
import { PyGenerator } from '../objects/collections/generator.ts';
import { PyInstance } from '../objects/classes/instance.ts';
import { PyList } from '../objects/collections/list.ts';
import { moduleOf } from '../objects/classes/module.ts';
import { nativeFunction } from '../objects/classes/native.ts';
import { PyObject } from '../objects/object.ts';
import { typeName, types } from '../objects/types.ts';
import type { Value } from '../objects/object.ts';
import { call } from '../objects/protocol.ts';
import { PySet } from '../objects/collections/set.ts';
import { PyTuple } from '../objects/collections/tuple.ts';

/** `copy.deepcopy`. @throws TypeError for objects that cannot be copied */
export function deepCopy(v: Value): Value {
  return deepCopied(v, new Map());
}

/** The module `copy`. */
export const copy = moduleOf('copy', {
  copy: nativeFunction('copy(x)', shallow),
  deepcopy: nativeFunction('deepcopy(x, memo=)', deepCopy),
});

/** Copies recursively; an object met twice is copied once, so cycles end. */
function deepCopied(v: Value, known: Map<Value, Value>): Value {
  const done = known.get(v);
  if (done !== undefined) return done;
  if (v instanceof PyList) {
    const made = new PyList([]);
    known.set(v, made);
    for (const item of v.items) made.items.push(deepCopied(item, known));
    return made;
  }
  if (v instanceof PyDict) {
    const made = v.like([]);
    known.set(v, made);
    for (const [key, value] of v.pairs())
      made.set(deepCopied(key, known), deepCopied(value, known));
    return made;
  }
  refuseUncopyable(v);
  // CPython builds the set from its elements.
  if (v instanceof PySet)
    return new PySet(
      v.values().map((item) => deepCopied(item, known)),
      v.frozen,
    );
  const own = v instanceof PyInstance ? v.special('__deepcopy__', new PyDict()) : undefined;
  if (own !== undefined) {
    known.set(v, own);
    return own;
  }
  if (v instanceof PyInstance && v.constructor === PyInstance) return deepInstance(v, known);
  const made =
    (v instanceof PyObject ? v.duplicate(true) : undefined) ??
    copied(v, (inner) => deepCopied(inner, known));
  known.set(v, made);
  return made;
}

/** @throws TypeError for objects that cannot be copied: a generator, a view of a dict */
function refuseUncopyable(v: Value): void {
  if (
    v instanceof PyGenerator ||
    (v instanceof PyObject && /^o?dict_(?:keys|values|items)$/.test(v.cls.name))
  )
    raise('TypeError', `cannot pickle '${typeName(v)}' object`);
}

/**
 * A deep copy of an instance, registered before its attributes are copied, because they may lead
 * back to it.
 */
function deepInstance(v: PyInstance, known: Map<Value, Value>): PyInstance {
  const made = new PyInstance(v.cls);
  known.set(v, made);
  for (const [name, value] of v.attributes) made.attributes.set(name, deepCopied(value, known));
  return made;
}

/** A shallow or deep copy of a value; immutable values are their own copies. */
function copied(v: Value, inner: (v: Value) => Value): Value {
  tick(1);
  if (v instanceof PyList) return new PyList(v.items.map(inner));
  if (v instanceof PyDict)
    return v.like(v.pairs().map(([key, value]) => [key, inner(value)] as const));
  if (v instanceof PySet) return v.frozen ? v : v.copy(false);
  if (v instanceof PyTuple && v.cls === types.tuple) return new PyTuple(v.items.map(inner));
  if (v instanceof PyException) return remade(v, inner);
  if (!(v instanceof PyInstance) || v.constructor !== PyInstance) return v;
  const made = new PyInstance(v.cls);
  for (const [name, value] of v.attributes) made.attributes.set(name, inner(value));
  return made;
}

/** An exception is made from its arguments, as its `__reduce__` does. */
function remade(v: PyException, inner: (v: Value) => Value): Value {
  const made = call(v.cls, v.args.items.map(inner));
  if (made instanceof PyInstance)
    for (const [name, value] of v.attributes) made.attributes.set(name, inner(value));
  return made;
}

/** `copy.copy`. */
function shallow(v: Value): Value {
  refuseUncopyable(v);
  const own = v instanceof PyInstance ? v.special('__copy__') : undefined;
  if (own !== undefined) return own;
  return (v instanceof PyObject ? v.duplicate(false) : undefined) ?? copied(v, (inner) => inner);
}
