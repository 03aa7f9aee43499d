import { join, convertedBy } from './texts.ts';
import { dict, mappingOf, keywords, namespace } from './displays.ts';
import { makeClass, superOf } from '../objects/classes/make-class.ts';
import { sorted } from '../objects/compare.ts';
import type { PyDict } from '../objects/collections/dict.ts';
import { PyFunction } from '../objects/classes/function.ts';
import type { FunctionBody, FunctionParameters } from '../objects/classes/function.ts';
import { PyGenerator, delegate } from '../objects/collections/generator.ts';
import { PyList } from '../objects/collections/list.ts';
import { float } from '../objects/numbers/number.ts';
import type { Value } from '../objects/object.ts';
import { PySet } from '../objects/collections/set.ts';
import { ellipsis } from '../objects/singletons.ts';
import { PySlice } from '../objects/collections/slice.ts';
import { PyTuple } from '../objects/collections/tuple.ts';
import { format } from '../text/format.ts';

/** What makes a value for emitted code, by the name it uses. */
export const makers = {
  ellipsis,
  float,
  keywords,
  mappingOf,
  dict,
  list: (elements: Value[]): PyList => new PyList(elements),
  tuple: (elements: Value[]): PyTuple => new PyTuple(elements),
  set: (elements: Value[]): PySet => new PySet(elements),
  /**
   * CPython compiles a display of constants to a frozenset and copies it, which shows in the order
   * of the elements.
   */
  constantSet: (elements: Value[]): PySet => new PySet(new PySet(elements).values()).copy(false),
  slice: (start: Value, stop: Value, step: Value): PySlice => new PySlice(start, stop, step),
  join,
  format,
  converted: convertedBy,
  makeFunction: (
    name: string,
    parameters: FunctionParameters,
    defaults: readonly (readonly [string, Value])[],
    body: FunctionBody,
    doc?: string,
  ): PyFunction => new PyFunction(name, parameters, new Map(defaults), body, doc),
  generator: (name: string, source: Generator<Value, Value, Value>): PyGenerator =>
    new PyGenerator(source, name),
  generatorFunction:
    (name: string, body: (...args: Value[]) => Generator<Value, Value, Value>): FunctionBody =>
    (...args) =>
      new PyGenerator(body(...args), name),
  delegate,
  makeClass,
  superOf,
  namespace,
  sortedKeys: (table: PyDict): PyList => new PyList(sorted(table.keys(), undefined, false)),
} as const;
