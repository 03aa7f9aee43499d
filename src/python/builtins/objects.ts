import { raise } from '../errors.ts';
import { tick } from '../meter.ts';
import { isCallable } from '../objects/classes/callable.ts';
import { PyProperty, PyUnboundMethod } from '../objects/classes/descriptors.ts';
import { PyInstance, notImplemented } from '../objects/classes/instance.ts';
import { superOf } from '../objects/classes/make-class.ts';
import { sorted } from '../objects/compare.ts';
import { hash } from '../objects/numbers/hash-of.ts';
import { identityKeyOf } from '../objects/key.ts';
import { PyList } from '../objects/collections/list.ts';
import { defineMethods, nativeFunction, PyBuiltin } from '../objects/classes/native.ts';
import { asInt, bitLength, indexOf, integer } from '../objects/numbers/number.ts';
import { PyUnion } from '../objects/classes/generic.ts';
import { PyObject } from '../objects/object.ts';
import { PyClass } from '../objects/class.ts';
import { typeName, typeOf, types } from '../objects/types.ts';
import type { Value } from '../objects/object.ts';
import {
  catching,
  deleteAttribute,
  findAttribute,
  getAttribute,
  items,
  setAttribute,
} from '../objects/protocol.ts';
import { ellipsis } from '../objects/singletons.ts';
import { PyTuple } from '../objects/collections/tuple.ts';
import { format } from '../text/format.ts';
import { asciiText, repr } from '../text/repr.ts';
import { binary } from '../objects/numbers/arithmetic.ts';
import { absoluteValue, divmod, round } from './numbers.ts';
import { print } from './printing.ts';

/** A class that says itself what its instances are: `numbers.Number`, `collections.abc.Mapping`. */
export class AbstractClass extends PyClass {
  readonly accepts: (v: Value) => boolean;

  constructor(name: string, module: string, accepts: (v: Value) => boolean) {
    super(name, [types.object], { module });
    this.accepts = accepts;
  }
  override item(): Value {
    return this;
  }
}
defineMethods(types.property, isProperty, {
  'getter(function, /)': (self, getter: Value) => self.with({ getter }),
  'setter(function, /)': (self, setter: Value) => self.with({ setter }),
  'deleter(function, /)': (self, deleter: Value) => self.with({ deleter }),
});
types.property.create = (_cls, [getter = null, setter = null, deleter = null], named) =>
  new PyProperty(
    named?.get('fget') ?? getter,
    named?.get('fset') ?? setter,
    named?.get('fdel') ?? deleter,
  );
types.staticmethod.create = (cls, [inner = null]) => new PyUnboundMethod(cls, inner);
types.classmethod.create = (cls, [inner = null]) => new PyUnboundMethod(cls, inner);
types.super.create = (_cls, [cls, self]) => superOf(cls instanceof PyClass ? cls : undefined, self);
types.type.create = (_cls, args) => {
  const [v] = args;
  return v === undefined || args.length > 1
    ? raise('TypeError', 'type() takes 1 argument: classes are made with the class statement')
    : typeOf(v);
};

/** Built-ins about single objects. */
export const objectBuiltins: Readonly<Record<string, Value>> = {
  abs: nativeFunction('abs(x, /)', (v: Value) => absoluteValue(v)),
  round: nativeFunction('round(number, ndigits=)', (v: Value, places) => round(v, places)),
  divmod: nativeFunction('divmod(x, y, /)', (x: Value, y: Value) => divmod(x, y)),
  pow: nativeFunction('pow(base, exp, mod=)', (base: Value, exp: Value, mod) =>
    power(base, exp, mod),
  ),
  repr: nativeFunction('repr(obj, /)', (v: Value) => repr(v)),
  ascii: nativeFunction('ascii(obj, /)', (v: Value) => asciiText(v)),
  format: nativeFunction('format(value, spec=, /)', (v: Value, spec) =>
    format(v, spec === undefined ? '' : specText(spec)),
  ),
  hash: nativeFunction('hash(obj, /)', (v: Value) => hash(v)),
  id: nativeFunction('id(obj, /)', (v: Value) =>
    v instanceof PyObject ? identityKeyOf(v) : hash(v),
  ),
  bin: nativeFunction('bin(number, /)', (v: Value) => based(v, '0b', 2)),
  oct: nativeFunction('oct(number, /)', (v: Value) => based(v, '0o', 8)),
  hex: nativeFunction('hex(number, /)', (v: Value) => based(v, '0x', 16)),
  chr: nativeFunction('chr(i, /)', (v: Value) => {
    const point = indexOf(v);
    if (point > 0x7fffffff || point < -0x80000000)
      raise('OverflowError', 'Python int too large to convert to C int');
    return point >= 0 && point <= 0x10ffff
      ? String.fromCodePoint(point)
      : raise('ValueError', 'chr() arg not in range(0x110000)');
  }),
  ord: nativeFunction('ord(c, /)', (v: Value) => {
    if (typeof v !== 'string')
      return raise('TypeError', `ord() expected string of length 1, but ${typeName(v)} found`);
    const points = Array.from(v.slice(0, 4));
    return points.length === 1
      ? (v.codePointAt(0) ?? 0)
      : raise(
          'TypeError',
          `ord() expected a character, but string of length ${Array.from(v).length} found`,
        );
  }),
  callable: nativeFunction('callable(obj, /)', (v: Value) => isCallable(v)),
  isinstance: nativeFunction('isinstance(obj, class_or_tuple, /)', (v: Value, of: Value) =>
    isInstanceOf(v, of),
  ),
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
  vars: nativeFunction('vars(object, /)', (v: Value) => variables(v)),
  print,
  open: refused('open', 'they read no files'),
  input: refused('input', 'nobody answers'),
  eval: refused('eval', 'code is only what the rule file says'),
  exec: refused('exec', 'code is only what the rule file says'),
  compile: refused('compile', 'code is only what the rule file says'),
  __import__: refused('__import__', 'use the import statement'),
  NotImplemented: notImplemented,
  Ellipsis: ellipsis,
  __debug__: true,
};

function isProperty(v: Value): v is PyProperty {
  return v instanceof PyProperty;
}

/**
 * Whether a value is an instance of a class, of one of a tuple of classes, or of a union.
 * @throws TypeError
 */
function isInstanceOf(v: Value, of: Value): boolean {
  return fits(
    of,
    (cls) => (cls instanceof AbstractClass ? cls.accepts(v) : typeOf(v).isSubclassOf(cls)),
    'isinstance() arg 2 must be a type, a tuple of types, or a union',
  );
}

function fits(of: Value, test: (cls: PyClass) => boolean, message: string): boolean {
  const many = of instanceof PyTuple ? of.items : of instanceof PyUnion ? of.members : undefined;
  if (many !== undefined)
    return many.some((one) => fits(one === null ? types.NoneType : one, test, message));
  return of instanceof PyClass ? test(of) : raise('TypeError', message);
}

function attributeName(v: Value): string {
  return typeof v === 'string'
    ? v
    : raise('TypeError', `attribute name must be string, not '${typeName(v)}'`);
}

function based(v: Value, prefix: string, radix: number): string {
  const n = asInt(v);
  if (n === undefined)
    return raise('TypeError', `'${typeName(v)}' object cannot be interpreted as an integer`);
  if (bitLength(n) > 60_000) raise('ValueError', 'int too large to format');
  const size = n < 0 ? -BigInt(n) : BigInt(n);
  return `${n < 0 ? '-' : ''}${prefix}${size.toString(radix)}`;
}

function power(base: Value, exponent: Value, modulus: Value | undefined): Value {
  if (modulus === undefined || modulus === null) return binary('**', base, exponent);
  const own = base instanceof PyInstance ? base.operator('__pow__', exponent, modulus) : undefined;
  if (own !== undefined) return own;
  const [b, e, m] = [base, exponent, modulus].map((v) => asInt(v));
  if (b === undefined || e === undefined || m === undefined)
    return raise('TypeError', 'pow() 3rd argument not allowed unless all arguments are integers');
  if (Number(m) === 0) raise('ValueError', 'pow() 3rd argument cannot be 0');
  if (e < 0) return power(inverse(BigInt(b), BigInt(m)), integer(-BigInt(e)), m);
  tick(bitLength(e) * (1 + (bitLength(m) >> 6) ** 2));
  let [result, square, rest] = [1n, BigInt(b) % BigInt(m), BigInt(e)];
  for (; rest > 0n; rest >>= 1n) {
    if (rest % 2n === 1n) result = (result * square) % BigInt(m);
    square = (square * square) % BigInt(m);
  }
  return binary('%', Number.isSafeInteger(Number(result)) ? Number(result) : result, m);
}

/** The number whose product with `n` is 1 modulo `m`. @throws ValueError when there is none */
function inverse(n: bigint, m: bigint): number | bigint {
  const size = m < 0n ? -m : m;
  let [a, b, x, y] = [((n % size) + size) % size, size, 1n, 0n];
  while (b !== 0n) {
    tick(1);
    [a, b, x, y] = [b, a % b, y, x - (a / b) * y];
  }
  return a === 1n || size === 1n
    ? integer(x)
    : raise('ValueError', 'base is not invertible for the given modulus');
}

function specText(v: Value): string {
  return typeof v === 'string'
    ? v
    : raise('TypeError', `format() argument 2 must be str, not ${typeName(v)}`);
}

/** Names that `dir(x)` lists: what the tables of the object have. */
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

/**
 * What a rule file cannot do: the name exists, the call raises what code that minds would catch.
 */
function refused(name: string, what: string): PyBuiltin {
  return new PyBuiltin(name, () =>
    raise(
      name === 'open' ? 'PermissionError' : 'NotImplementedError',
      `${name}() is not available in rule files: ${what}`,
    ),
  );
}
