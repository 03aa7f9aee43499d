import { PyError, raise } from '../errors.ts';
import { meter, tick } from '../meter.ts';
import { truthy, equals } from './compare.ts';
import { iteratorOf } from './collections/iterator.ts';
import { asIndex, notAnInteger } from './numbers/number.ts';
import { PyObject, asText } from './object.ts';
import { typeName, typeOf } from './types.ts';
import type { Kwargs, PyIterator, Value } from './object.ts';

/**
 * Special names that can be read with a dot. All other `__x__` names do not exist, so no path leads
 * to classes or frames.
 */
const READABLE = new Set(['__name__', '__qualname__', '__init__', '__doc__', '__version__'])
  .add('__cause__')
  .add('__context__')
  .add('__suppress_context__');
const UNDERSCORE = 95;

/**
 * The special names of a built-in value; builtins/special-names.ts, which imports this file, sets
 * it.
 */
const special: { of: (object: Value, name: string) => Value | undefined } = { of: () => undefined };

export function onSpecialNames(of: typeof special.of): void {
  special.of = of;
}

/** `object.name`, or `undefined`. */
export function findAttribute(object: Value, name: string): Value | undefined {
  if (
    isSpecial(name) &&
    !READABLE.has(name) &&
    !(object instanceof PyObject && object.readsSpecial(name))
  )
    return name === '__class__' ? typeOf(object) : special.of(object, name);
  const found =
    object instanceof PyObject ? object.attribute(name) : typeOf(object).lookupFor(object, name);
  return found === undefined && name === '__doc__' ? null : found;
}

/** `object.name`. @throws AttributeError */
export function getAttribute(object: Value, name: string): Value {
  const found = findAttribute(object, name);
  return found === undefined ? noAttribute(object, name) : found;
}

/** `object.name = value`. @throws AttributeError */
export function setAttribute(object: Value, name: string, value: Value): void {
  if (isSpecial(name) && !(object instanceof PyObject && object.writesSpecial(name)))
    raise('AttributeError', `'${typeName(object)}' object attribute '${name}' is read-only`);
  if (object instanceof PyObject) object.setAttribute(name, value);
  else raise('AttributeError', `'${typeName(object)}' object has no attribute '${name}'`);
}

/** `del object.name`. @throws AttributeError */
export function deleteAttribute(object: Value, name: string): void {
  if (object instanceof PyObject && !isSpecial(name)) object.deleteAttribute(name);
  else raise('AttributeError', `'${typeName(object)}' object has no attribute '${name}'`);
}

/**
 * Deeper Python calls raise RecursionError, well before the JavaScript stack of a bare isolate (1
 * MB) ends.
 */
const MAX_DEPTH = 900;

/**
 * Calls any value.
 * @throws TypeError when it cannot be called, RecursionError when calls nest too deep
 */
export function call(callee: Value, args: readonly Value[], kwargs?: Kwargs): Value {
  if (!(callee instanceof PyObject))
    return raise('TypeError', `'${typeName(callee)}' object is not callable`);
  const depth = meter.depth;
  meter.depth = depth + 1;
  meter.left -= 1;
  if (meter.left < 0) tick(0);
  if (depth > MAX_DEPTH) raise('RecursionError', 'maximum recursion depth exceeded');
  const result = callee.call(args, kwargs);
  meter.depth = depth;
  return result;
}

/**
 * Runs `body`; an exception of the named classes gives `undefined`. Restores the depth of calls.
 */
export function catching<T>(classNames: readonly string[], body: () => T): T | undefined {
  const depth = meter.depth;
  try {
    return body();
  } catch (error) {
    meter.depth = depth;
    if (error instanceof PyError && classNames.includes(error.className)) return undefined;
    throw error;
  }
}

const ASCII = /^\p{ASCII}*$/u;

/** `iter(v)`. @throws TypeError */
export function iterate(v: Value): PyIterator {
  if (v instanceof PyObject) return v.iterate();
  if (typeof v === 'string')
    return iteratorOf(ASCII.test(v) ? 'str_ascii_iterator' : 'str_iterator', v[Symbol.iterator]());
  return raise('TypeError', `'${typeName(v)}' object is not iterable`);
}

/** All elements of an iterable, each paid for. */
export function items(v: Value): Value[] {
  const iterator = iterate(v);
  const all: Value[] = [];
  for (let item = iterator.next(); item !== undefined; item = iterator.next()) {
    tick(1);
    all.push(item);
  }
  return all;
}

/** `len(v)`. @throws TypeError */
export function lengthOf(v: Value): number {
  if (typeof v === 'string') {
    tick(v.length >> 8);
    return codePoints(v);
  }
  return v instanceof PyObject
    ? v.length()
    : raise('TypeError', `object of type '${typeName(v)}' has no len()`);
}

const ASTRAL = /[\uD800-\uDBFF][\uDC00-\uDFFF]/g;

/** Characters of a string as Python counts them. */
export function codePoints(text: string): number {
  return text.length - (text.match(ASTRAL)?.length ?? 0);
}

/** `item in container`. @throws TypeError */
export function contains(container: Value, item: Value): boolean {
  if (typeof container === 'string') {
    const wanted = asText(item);
    if (wanted === undefined)
      return raise(
        'TypeError',
        `'in <string>' requires string as left operand, not ${typeName(item)}`,
      );
    tick(container.length >> 6);
    return container.includes(wanted);
  }
  if (!(container instanceof PyObject))
    return raise('TypeError', `argument of type '${typeName(container)}' is not iterable`);
  const own = container.contains(item);
  if (own !== undefined) return own;
  const iterator = catching(['TypeError'], () => container.iterate());
  if (iterator === undefined)
    return raise('TypeError', `argument of type '${typeName(container)}' is not iterable`);
  for (let found = iterator.next(); found !== undefined; found = iterator.next()) {
    tick(1);
    if (found === item || equals(found, item)) return true;
  }
  return false;
}

/** A Python callable as a JavaScript function of one argument; None gives `undefined`. */
export function keyFunction(v: Value | undefined): ((item: Value) => Value) | undefined {
  return v === undefined || v === null ? undefined : (item) => call(v, [item]);
}

/** The truth of an optional flag argument. */
export function flag(v: Value | undefined): boolean {
  return v !== undefined && truthy(v);
}

/** A flag that must be an int. @throws TypeError */
export function intFlag(v: Value | undefined): boolean {
  if (v === undefined) return false;
  const n = asIndex(v);
  if (n === undefined) return notAnInteger(v);
  if (n > 0x7fffffff || n < -0x80000000)
    raise('OverflowError', 'Python int too large to convert to C int');
  return Number(n) !== 0;
}

function isSpecial(name: string): boolean {
  return name.charCodeAt(0) === UNDERSCORE && name.startsWith('__') && name.endsWith('__');
}

/** @throws AttributeError in CPython's words */
function noAttribute(object: Value, name: string): never {
  return raise(
    'AttributeError',
    object instanceof PyObject
      ? object.toldWithout(name)
      : `'${typeName(object)}' object has no attribute '${name}'`,
  );
}
