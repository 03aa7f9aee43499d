import { PyError, raise } from '../errors.ts';
import { frame } from '../frame.ts';
import { exhausted, meter } from '../meter.ts';
import { payForText } from '../text/size.ts';
import { builtins } from '../builtins/table.ts';
import { standardModules } from '../modules/table.ts';
import { add, binary, inplace, mul, sub, unary } from '../objects/numbers/arithmetic.ts';
import { makeClass, superOf } from '../objects/classes/make-class.ts';
import { eq, ge, gt, le, lt, ne, same, sorted, truthy } from '../objects/compare.ts';
import { PyDict } from '../objects/collections/dict.ts';
import { chained, raising } from '../objects/classes/exceptions.ts';
import { PyFunction } from '../objects/classes/function.ts';
import type { FunctionBody, FunctionParameters } from '../objects/classes/function.ts';
import { PyGenerator, delegate } from '../objects/collections/generator.ts';
import { PyList } from '../objects/collections/list.ts';
import { PyModule } from '../objects/classes/module.ts';
import { float } from '../objects/numbers/number.ts';
import { PyObject } from '../objects/object.ts';
import { typeName } from '../objects/types.ts';
import type { Kwargs, Value } from '../objects/object.ts';
import {
  call,
  catching,
  contains,
  deleteAttribute,
  getAttribute,
  items,
  iterate,
  setAttribute,
} from '../objects/protocol.ts';
import { PySet } from '../objects/collections/set.ts';
import { ellipsis } from '../objects/singletons.ts';
import { PySlice } from '../objects/collections/slice.ts';
import { PyTuple } from '../objects/collections/tuple.ts';
import { format } from '../text/format.ts';
import { asciiText, repr, str } from '../text/repr.ts';
import { stringItem } from '../text/characters.ts';
import {
  caught,
  enter,
  failAssertion,
  inContext,
  leave,
  leaveWith,
  matches,
  nothingToRaise,
} from './exceptions.ts';

/** All that emitted code can reach, by the name it uses. */
export const runtime = {
  noGlobal,
  noLocal,
  noFree,
  ellipsis,
  float,
  truthy,
  same,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  add,
  sub,
  mul,
  binary,
  inplace,
  unary,
  isIn: (item: Value, container: Value): boolean => contains(container, item),
  getAttribute,
  setAttribute,
  deleteAttribute,
  getItem,
  setItem,
  deleteItem,
  call,
  /** CPython looks at a lone `*value` only when the keywords are there. */
  callSpread: (callee: Value, value: Value, kwargs: Kwargs): Value =>
    call(callee, spread(value), kwargs),
  spread,
  iterate,
  unpack,
  keywords,
  mappingOf,
  dict,
  list: (elements: Value[]): PyList => new PyList(elements),
  tuple: (elements: Value[]): PyTuple => new PyTuple(elements),
  set: (elements: Value[]): PySet => new PySet(elements),
  /**
   * A display of constants is a copy of a frozenset there, which shows
   * in the order of its elements.
   */
  constantSet: (elements: Value[]): PySet => new PySet(new PySet(elements).values()).copy(false),
  slice: (start: Value, stop: Value, step: Value): PySlice => new PySlice(start, stop, step),
  join,
  format,
  converted,
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
  exhausted,
  caught,
  inContext,
  matches,
  raising,
  chained,
  nothingToRaise,
  failAssertion,
  enter,
  leave,
  leaveWith,
  importModule,
  importName,
} as const;

export type Runtime = typeof runtime;

/** A dict display; a pair of one is `**mapping`. */
function dict(entries: readonly (readonly [Value, Value] | readonly [Value])[]): PyDict {
  const made = new PyDict();
  for (const [key, value] of entries) {
    if (value !== undefined) made.set(key, value);
    else for (const [k, v] of mapping(key)) made.set(k, v);
  }
  return made;
}

/** The pairs of what stands behind `**`. */
function mapping(v: Value): [Value, Value][] {
  if (v instanceof PyDict) return v.pairs();
  if (!(v instanceof PyObject) || v.attribute('keys') === undefined)
    return raise('TypeError', `'${typeName(v)}' object is not a mapping`);
  return items(call(getAttribute(v, 'keys'), [])).map((key) => [key, v.item(key)]);
}

/** A global name that has no value now: a built-in it once hid, or NameError. */
function noGlobal(name: string): Value {
  const builtin = builtins.get(name);
  return builtin === undefined ? raise('NameError', `name '${name}' is not defined`) : builtin;
}

function noLocal(name: string): never {
  return raise(
    'UnboundLocalError',
    `cannot access local variable '${name}' where it is not associated with a value`,
  );
}

function noFree(name: string): never {
  return raise(
    'NameError',
    `cannot access free variable '${name}' where it is not associated with a value in enclosing scope`,
  );
}

function getItem(container: Value, key: Value): Value {
  if (typeof container === 'string') return stringItem(container, key);
  return container instanceof PyObject
    ? container.item(key)
    : raise('TypeError', `'${typeName(container)}' object is not subscriptable`);
}

function setItem(container: Value, key: Value, value: Value): void {
  if (container instanceof PyObject) container.setItem(key, value);
  else raise('TypeError', `'${typeName(container)}' object does not support item assignment`);
}

function deleteItem(container: Value, key: Value): void {
  if (container instanceof PyObject) container.deleteItem(key);
  else
    raise(
      'TypeError',
      `'${typeName(container)}' object ${typeof container === 'string' ? "doesn't" : 'does not'} support item deletion`,
    );
}

/** What stands behind `**` in a dict display, checked where it stands. @throws TypeError */
function mappingOf(v: Value): Value {
  const isMapping =
    v instanceof PyDict || (v instanceof PyObject && v.attribute('keys') !== undefined);
  return isMapping ? v : raise('TypeError', `'${typeName(v)}' object is not a mapping`);
}

/** The keyword arguments of a call. */
function keywords(entries: readonly (readonly [string, Value] | readonly [Value])[]): Kwargs {
  const made = new Map<string, Value>();
  const put = (key: Value, value: Value): void => {
    if (typeof key !== 'string') raise('TypeError', 'keywords must be strings');
    if (made.has(key)) raise('TypeError', `got multiple values for keyword argument '${key}'`);
    made.set(key, value);
  };
  for (const [key, value] of entries) {
    if (value !== undefined) put(key, value);
    else for (const [k, v] of mapping(key)) put(k, v);
  }
  return made;
}

/**
 * The parts for `count` targets; the target at `star` (if not -1)
 * takes what is left over, as a list.
 */
function unpack(value: Value, count: number, star: number): Value[] {
  if (!(value instanceof PyObject) && typeof value !== 'string')
    raise('TypeError', `cannot unpack non-iterable ${typeName(value)} object`);
  const iterator = iterate(value);
  const parts: Value[] = [];
  const wanted = star < 0 ? count : count - 1;
  for (let item = iterator.next(); item !== undefined; item = iterator.next()) {
    meter.left -= 1;
    if (meter.left < 0) exhausted();
    parts.push(item);
    if (star < 0 && parts.length > count)
      raise('ValueError', `too many values to unpack (expected ${count})`);
  }
  if (parts.length < wanted) {
    raise(
      'ValueError',
      `not enough values to unpack (expected ${star < 0 ? '' : 'at least '}${wanted}, got ${parts.length})`,
    );
  }
  if (star < 0) return parts;
  const tail = count - 1 - star;
  return [
    ...parts.slice(0, star),
    new PyList(parts.slice(star, parts.length - tail)),
    ...parts.slice(parts.length - tail),
  ];
}

/** What `*value` stands for in a display or a call. */
function spread(value: Value): Value[] {
  const isIterable =
    typeof value === 'string' ||
    (value instanceof PyObject && catching(['TypeError'], () => value.iterate()) !== undefined);
  return isIterable
    ? items(value)
    : raise('TypeError', `Value after * must be an iterable, not ${typeName(value)}`);
}

/** An f-string from its formatted parts. */
function join(parts: readonly string[]): string {
  payForText(parts.reduce((sum, part) => sum + part.length, 0));
  return parts.join('');
}

/** `!r`, `!s`, `!a`. */
function converted(v: Value, conversion: string): string {
  if (conversion === 's') return str(v);
  return conversion === 'r' ? repr(v) : asciiText(v);
}

/** `locals()` and `globals()`: a copy, later names over earlier ones. */
function namespace(entries: Iterable<readonly [string, Value | undefined]>): PyDict {
  const made = new PyDict();
  for (const [name, value] of entries)
    if (value !== undefined && (made.contains(name) || value !== builtins.get(name)))
      made.set(name, value);
  return made;
}

function importModule(name: string): Value {
  const found = frame.modules?.get(name) ?? standardModules.get(name);
  if (found !== undefined) return found;
  throw new PyError('ModuleNotFoundError', [`No module named '${name}'`], '');
}

function importName(module: Value, name: string): Value {
  const label = module instanceof PyModule ? module.name : typeName(module);
  const found = module instanceof PyObject ? module.attribute(name) : undefined;
  if (found !== undefined) return found;
  return (
    frame.modules?.get(`${label}.${name}`) ??
    standardModules.get(`${label}.${name}`) ??
    raise('ImportError', `cannot import name '${name}' from '${label}' (unknown location)`)
  );
}
