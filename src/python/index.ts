/**
 * The Python that lives in rule files, without CPython: text -> tree -> JavaScript made from the
 * tree -> function. Knows nothing of TPV, imports nothing, and loads inside a bare V8 isolate.
 */
export { PyError, raise } from './errors.ts';
export { PySyntaxError } from './syntax/error.ts';
export { FuelExhausted, Fuel } from './meter.ts';
export type { Modules, RunOptions } from './frame.ts';
export { Transcript } from './transcript.ts';
export type { TranscriptLine } from './transcript.ts';
export { namePlaces } from './name-places.ts';
export { compile } from './program.ts';
export type { SnippetGrammar, Program, Scope } from './program.ts';

export { PyIterator, PyObject } from './objects/object.ts';
export { PyClass } from './objects/class.ts';
export { typeName, typeOf } from './objects/types.ts';
export type { Key, Kwargs, Value } from './objects/object.ts';
export { PyFloat, asNumber, float, integer } from './objects/numbers/number.ts';
export { PyList } from './objects/collections/list.ts';
export { PyTuple } from './objects/collections/tuple.ts';
export { PyDict } from './objects/collections/dict.ts';
export { PySet } from './objects/collections/set.ts';
export { PyModule } from './objects/classes/module.ts';
export { nativeFunction } from './objects/classes/native.ts';
export { PyException, exceptionClass, exceptionNamed } from './objects/classes/exceptions.ts';
export { defineClass } from './objects/classes/host.ts';
export { enumBase, enumeration } from './modules/enum/module.ts';
export type { HostClass, HostClassSpec } from './objects/classes/host.ts';

export { repr, str } from './text/repr.ts';
export { add } from './objects/numbers/arithmetic.ts';
export { compare, equals, gt, lt, truthy } from './objects/compare.ts';
export { moduleUses } from './module-uses.ts';
export type { ModuleUse } from './module-uses.ts';
export { call, findAttribute, getAttribute, items, setAttribute } from './objects/protocol.ts';
export { builtinNames } from './builtins/table.ts';
export { yamlTimestamp } from './modules/timestamp.ts';
export { loggerNamed } from './modules/logging.ts';
export { standardModules } from './modules/table.ts';
export { requestsModules } from './modules/requests/module.ts';
export type {
  HttpAnswer,
  HttpBody,
  HttpErrorName,
  HttpRequest,
  Pair,
  Send,
} from './modules/requests/exchange.ts';
export { translate as translateRegex } from './modules/pattern.ts';
export { comparePackageVersions } from './modules/version.ts';
