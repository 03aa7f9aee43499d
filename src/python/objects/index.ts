/** The values of Python, as an embedder makes and reads them. */
export { PyIterator, PyObject } from './object.ts';
export type { Key, Kwargs, Value } from './object.ts';
export { PyClass } from './class.ts';
export { typeName, typeOf } from './types.ts';
export { PyFloat, asNumber, float, integer } from './numbers/number.ts';
export { add } from './numbers/arithmetic.ts';
export { PyList } from './collections/list.ts';
export { PyTuple } from './collections/tuple.ts';
export { PyDict } from './collections/dict.ts';
export { PySet } from './collections/set.ts';
export { PyModule } from './classes/module.ts';
export { nativeFunction } from './classes/native.ts';
export { PyException, exceptionClass, exceptionNamed } from './classes/exceptions.ts';
export { defineClass } from './classes/host.ts';
export type { HostClass, HostClassSpec } from './classes/host.ts';
