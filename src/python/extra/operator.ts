import { raise } from '../errors.ts';
import { absoluteValue } from '../builtins/numbers/operations.ts';
import { binary, inplace, unary } from '../objects/numbers/arithmetic.ts';
import { eq, equals, ge, gt, le, lt, ne, isIdentical, truthy } from '../objects/compare.ts';
import { moduleOf } from '../objects/classes/module.ts';
import type { PyModule } from '../objects/classes/module.ts';
import { nativeFunction, PyBuiltin } from '../objects/classes/native.ts';
import { asIndex, notAnInteger } from '../objects/numbers/number.ts';
import { PyObject } from '../objects/object.ts';
import { typeName } from '../objects/types.ts';
import type { BinaryOp, Value } from '../objects/object.ts';
import { call, contains, getAttribute, items } from '../objects/protocol.ts';
import { PyTuple } from '../objects/collections/tuple.ts';
import { stringItem } from '../text/characters.ts';

const ARITHMETIC: Readonly<Record<string, BinaryOp>> = {
  add: '+',
  sub: '-',
  mul: '*',
  truediv: '/',
  floordiv: '//',
  mod: '%',
  pow: '**',
  lshift: '<<',
  rshift: '>>',
  and_: '&',
  or_: '|',
  xor: '^',
  matmul: '@',
};

/** The module `operator`. */
export const operator: PyModule = moduleOf('operator', {
  ...Object.fromEntries(
    Object.entries(ARITHMETIC).map(([name, op]) => [name, two(name, (a, b) => binary(op, a, b))]),
  ),
  ...Object.fromEntries(
    Object.entries(ARITHMETIC).map(([name, op]) => [
      `i${name.replace('_', '')}`,
      two(`i${name}`, (a, b) => inplace(op, a, b)),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries({ eq, ne, lt, le, gt, ge }).map(([name, compute]) => [name, two(name, compute)]),
  ),
  concat: two('concat', (a, b) => binary('+', a, b)),
  is_: two('is_', isIdentical),
  is_not: two('is_not', (a, b) => !isIdentical(a, b)),
  call: new PyBuiltin('call', ([callee = null, ...args], kwargs) => call(callee, args, kwargs)),
  countOf: two('countOf', (a, b) => items(a).filter((v) => v === b || equals(v, b)).length),
  indexOf: two('indexOf', (a, b) => {
    const at = items(a).findIndex((v) => v === b || equals(v, b));
    return at < 0 ? raise('ValueError', 'sequence.index(x): x not in sequence') : at;
  }),
  iconcat: two('iconcat', (a, b) => inplace('+', a, b)),
  index: one('index', (a) => asIndex(a) ?? notAnInteger(a)),
  inv: one('inv', (a) => unary('~', a)),
  setitem: nativeFunction('setitem(a, b, c, /)', (a: Value, b: Value, c: Value) => {
    if (!(a instanceof PyObject))
      return raise('TypeError', `'${typeName(a)}' object does not support item assignment`);
    a.setItem(b, c);
    return null;
  }),
  delitem: two('delitem', (a, b) => {
    if (!(a instanceof PyObject))
      return raise('TypeError', `'${typeName(a)}' object does not support item deletion`);
    a.deleteItem(b);
    return null;
  }),
  contains: two('contains', contains),
  getitem: two('getitem', item),
  not_: one('not_', (a) => !truthy(a)),
  truth: one('truth', truthy),
  abs: one('abs', absoluteValue),
  neg: one('neg', (a) => unary('-', a)),
  pos: one('pos', (a) => unary('+', a)),
  invert: one('invert', (a) => unary('~', a)),
  itemgetter: new PyBuiltin('itemgetter', (names) => getter('itemgetter', names, item)),
  attrgetter: new PyBuiltin('attrgetter', (names) => getter('attrgetter', names, path)),
  methodcaller: new PyBuiltin('methodcaller', ([name = null, ...args], kwargs) =>
    one('methodcaller', (v) => call(path(v, name), args, kwargs)),
  ),
});

function two(name: string, compute: (a: Value, b: Value) => Value): Value {
  return nativeFunction(`${name}(a, b, /)`, compute);
}

function item(v: Value, key: Value): Value {
  return typeof v === 'string'
    ? stringItem(v, key)
    : v instanceof PyObject
      ? v.item(key)
      : raise('TypeError', 'object is not subscriptable');
}

/** `a.b.c` of an object. */
function path(v: Value, name: Value): Value {
  return typeof name === 'string'
    ? name.split('.').reduce(getAttribute, v)
    : raise('TypeError', 'attribute name must be a string');
}

/** A function that reads one thing, or a tuple of several. */
function getter(
  name: string,
  names: readonly Value[],
  get: (v: Value, name: Value) => Value,
): Value {
  return one(name, (v) =>
    names.length === 1 ? get(v, names[0] ?? null) : new PyTuple(names.map((each) => get(v, each))),
  );
}

function one(name: string, compute: (a: Value) => Value): Value {
  return nativeFunction(`${name}(a, /)`, compute);
}
