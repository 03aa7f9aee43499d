import { raise } from '../errors.ts';
import { isCallable } from '../objects/classes/callable.ts';
import { nativeFunction, PyBuiltin } from '../objects/classes/native.ts';
import { PyIterator, PyObject } from '../objects/object.ts';
import { PyClass } from '../objects/class.ts';
import type { Protocol, Value } from '../objects/object.ts';
import { call, contains, iterate, lengthOf, onSpecialNames } from '../objects/protocol.ts';
import { stringItem } from '../text/characters.ts';
import { format } from '../text/format.ts';
import { repr, str } from '../text/repr.ts';
import { next } from './iteration.ts';

/** A special method of built-in values: which values have it, and how to call it. */
type Special = { readonly of: (v: Value) => boolean; readonly bind: (v: Value) => Value };

/**
 * The special methods of built-in values besides `__class__`, for code that asks with `hasattr` or
 * calls them itself.
 */
const SPECIALS: ReadonlyMap<string, Special> = new Map([
  method('__len__()', (v) => isText(v) || has(v, 'length'), lengthOf),
  method('__iter__()', (v) => isText(v) || has(v, 'iterate'), iterate),
  method(
    '__next__()',
    (v) => v instanceof PyIterator,
    (v) => next(v, undefined),
  ),
  method(
    '__contains__(key, /)',
    (v) => isText(v) || has(v, 'contains'),
    (v, key = null) => contains(v, key),
  ),
  method(
    '__getitem__(key, /)',
    (v) => isText(v) || has(v, 'item'),
    (v, key = null) => (isText(v) ? stringItem(v, key) : object(v).item(key)),
  ),
  method(
    '__setitem__(key, value, /)',
    (v) => has(v, 'setItem'),
    (v, key = null, value = null) => {
      object(v).setItem(key, value);
      return null;
    },
  ),
  method(
    '__delitem__(key, /)',
    (v) => has(v, 'deleteItem'),
    (v, key = null) => {
      object(v).deleteItem(key);
      return null;
    },
  ),
  [
    '__call__',
    {
      of: isCallable,
      bind: (self) => new PyBuiltin('__call__', (args, kwargs) => call(self, args, kwargs)),
    },
  ],
  method('__str__()', always, str),
  method('__repr__()', always, repr),
  method('__format__(format_spec, /)', always, (v, spec = '') =>
    isText(spec) ? format(v, spec) : raise('TypeError', 'format() argument 2 must be str'),
  ),
]);

onSpecialNames((v, name) => {
  const found = SPECIALS.get(name);
  return found?.of(v) === true && !(v instanceof PyClass && name !== '__call__')
    ? found.bind(v)
    : undefined;
});

function object(v: Value): PyObject {
  return v instanceof PyObject ? v : raise('TypeError', 'this value has no such method');
}

function has(v: Value, protocol: Protocol): boolean {
  return v instanceof PyObject && !(v instanceof PyClass) && v.supports(protocol);
}

function method(
  signature: string,
  of: Special['of'],
  run: (self: Value, ...args: Value[]) => Value,
): readonly [string, Special] {
  const bind = (self: Value): Value =>
    nativeFunction(signature, (...args) => run(self, ...args.map((arg) => arg ?? null)));
  return [signature.slice(0, signature.indexOf('(')), { of, bind }];
}

function isText(v: Value): v is string {
  return typeof v === 'string';
}

function always(): boolean {
  return true;
}
