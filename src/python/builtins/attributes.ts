import { raise } from '../errors.ts';
import { PyInstance } from '../objects/classes/instance.ts';
import { PyObject } from '../objects/object.ts';
import { PyClass } from '../objects/class.ts';
import { typeName, typeOf, types } from '../objects/types.ts';
import type { Value } from '../objects/object.ts';
import {
  findAttribute,
  catching,
  deleteAttribute,
  getAttribute,
  items,
  setAttribute,
} from '../objects/protocol.ts';
import { isCallable } from '../objects/classes/callable.ts';
import { sorted } from '../objects/compare.ts';
import { PyList } from '../objects/collections/list.ts';
import { nativeFunction } from '../objects/classes/native.ts';
import { isInstanceOf, fits } from './class-tests.ts';

/** Built-ins about attributes and classes. */
export const attributeBuiltins: Readonly<Record<string, Value>> = {
  callable: nativeFunction('callable(obj, /)', isCallable),
  isinstance: nativeFunction('isinstance(obj, class_or_tuple, /)', isInstanceOf),
  issubclass: nativeFunction('issubclass(cls, class_or_tuple, /)', (v: Value, of: Value) => {
    if (!(v instanceof PyClass)) return raise('TypeError', 'issubclass() arg 1 must be a class');
    return fits(
      of,
      (cls) => v.isSubclassOf(cls),
      'issubclass() arg 2 must be a class, a tuple of classes, or a union',
    );
  }),
  hasattr: nativeFunction(
    'hasattr(obj, name, /)',
    (v: Value, name: Value) =>
      catching(['AttributeError'], () => findAttribute(v, attributeName(name)) !== undefined) ??
      false,
  ),
  getattr: nativeFunction(
    'getattr(object, name, default=, /)',
    (v: Value, name: Value, fallback) => {
      const key = attributeName(name);
      if (fallback === undefined) return getAttribute(v, key);
      const found = catching(['AttributeError'], () => findAttribute(v, key));
      return found === undefined ? fallback : found;
    },
  ),
  setattr: nativeFunction('setattr(obj, name, value, /)', (v: Value, name: Value, value: Value) => {
    setAttribute(v, attributeName(name), value);
    return null;
  }),
  delattr: nativeFunction('delattr(obj, name, /)', (v: Value, name: Value) => {
    deleteAttribute(v, attributeName(name));
    return null;
  }),
  dir: nativeFunction('dir(object, /)', (v: Value) => {
    const own = v instanceof PyInstance ? v.special('__dir__') : undefined;
    return new PyList(sorted(own === undefined ? names(v) : items(own), undefined, false));
  }),
  vars: nativeFunction('vars(object, /)', variables),
};

function attributeName(v: Value): string {
  return typeof v === 'string'
    ? v
    : raise('TypeError', `attribute name must be string, not '${typeName(v)}'`);
}

/** Names that `dir(x)` lists: those of the object and of its classes. */
function names(v: Value): string[] {
  const own = v instanceof PyObject ? v.names() : [];
  const classes = v instanceof PyClass ? v.mro : typeOf(v).mro;
  return [...new Set([...own, ...classes.flatMap((cls) => [...cls.dict.keys()])])];
}

function variables(v: Value): Value {
  if (v instanceof PyInstance && v.cls.slots === undefined && v.cls !== types.object)
    return v.variables();
  return (
    findAttribute(v, '__dict__') ??
    raise('TypeError', 'vars() argument must have __dict__ attribute')
  );
}
