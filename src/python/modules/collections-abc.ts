import { AbstractClass } from '../builtins/class-tests.ts';
import { PyBytes } from '../objects/collections/bytes.ts';
import { PyDict } from '../objects/collections/dict.ts';
import { PyInstance } from '../objects/classes/instance.ts';
import { PyList } from '../objects/collections/list.ts';
import { moduleOf } from '../objects/classes/module.ts';
import { PyIterator, PyObject } from '../objects/object.ts';
import { PyClass } from '../objects/class.ts';
import { types } from '../objects/types.ts';
import type { Value } from '../objects/object.ts';
import { catching } from '../objects/protocol.ts';
import { PyRange } from '../objects/collections/range.ts';
import { PySet } from '../objects/collections/set.ts';
import { PyTuple } from '../objects/collections/tuple.ts';

const ABSTRACT = {
  Sequence: isSequence,
  MutableSequence: (v: Value) => v instanceof PyList,
  Mapping: isMapping,
  MutableMapping: isMapping,
  Set: isSet,
  MutableSet: isSet,
  Collection: isCollection,
  Container: isCollection,
  Sized: isCollection,
  Iterable: isIterable,
  Iterator: (v: Value) => v instanceof PyIterator,
  Generator: (v: Value) => v instanceof PyObject && v.cls === types.generator,
  Callable: (v: Value) =>
    v instanceof PyClass ||
    (v instanceof PyObject && [types.function, types.builtin, types.method].includes(v.cls)),
  Hashable: isHashable,
} as const;
export const abstractClasses = Object.fromEntries(
  Object.entries(ABSTRACT).map(([name, accepts]) => [name, abstract(name, accepts)]),
);
export const collectionsAbc = moduleOf('collections.abc', abstractClasses);

function isIterable(v: Value): boolean {
  return (
    isCollection(v) ||
    v instanceof PyIterator ||
    (v instanceof PyInstance && v.cls.lookup('__iter__') !== undefined)
  );
}

function isCollection(v: Value): boolean {
  return isSequence(v) || isMapping(v) || isSet(v) || isView(v);
}

function isSequence(v: Value): boolean {
  return (
    typeof v === 'string' ||
    v instanceof PyBytes ||
    v instanceof PyList ||
    v instanceof PyTuple ||
    v instanceof PyRange ||
    (v instanceof PyObject && v.cls.label === 'collections.deque')
  );
}

function isMapping(v: Value): boolean {
  return v instanceof PyDict;
}

function isSet(v: Value): boolean {
  return v instanceof PySet;
}

function isView(v: Value): boolean {
  return v instanceof PyObject && /^o?dict_(?:keys|values|items)$/.test(v.cls.name);
}

/** Whether the class of a value has a hash, whatever a tuple contains. */
function isHashable(v: Value): boolean {
  if (v instanceof PyTuple || !(v instanceof PyObject)) return true;
  return catching(['TypeError'], () => v.key()) !== undefined;
}

function abstract(name: string, accepts: (v: Value) => boolean): PyClass {
  return new AbstractClass(name, 'collections.abc', accepts);
}
