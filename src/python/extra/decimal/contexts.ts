import { raise } from '../../errors.ts';
import { truthy } from '../../objects/compare.ts';
import { PyDict } from '../../objects/collections/dict.ts';
import { defineMethods, nativeFunction } from '../../objects/classes/native.ts';
import { asInt, indexOf } from '../../objects/numbers/number.ts';
import { PyObject } from '../../objects/object.ts';
import { PyClass } from '../../objects/class.ts';
import { types } from '../../objects/types.ts';
import type { Kwargs, Value } from '../../objects/object.ts';
import { items } from '../../objects/protocol.ts';
import {
  DecimalContext,
  SIGNALS,
  checkedPrecision,
  context,
  setContext,
  signals,
} from './context.ts';
import type { Signal } from './context.ts';
import { Decimal, givenDecimal, decimalOf } from './decimal.ts';
import { ROUNDINGS } from './number.ts';
import { decimalPower, root } from './powers.ts';
import type { Dec } from './number.ts';
import * as compute from './compute.ts';

const contextClass = new PyClass('Context', [types.object], { module: 'decimal' });

/** `decimal.Context`; one of them is the context of the evaluation. */
class PyContext extends PyObject {
  readonly context: DecimalContext;

  constructor(own: DecimalContext) {
    super();
    this.context = own;
  }
  get cls(): PyClass {
    return contextClass;
  }
  override repr(): string {
    const c = this.context;
    const told = (set: ReadonlySet<Signal>): string =>
      SIGNALS.filter((signal) => set.has(signal)).join(', ');
    return (
      `Context(prec=${c.prec}, rounding=${c.rounding}, Emin=${c.emin}, Emax=${c.emax}, capitals=${c.capitals}, ` +
      `clamp=${c.clamp}, flags=[${told(c.flags)}], traps=[${told(c.traps)}])`
    );
  }
  override attribute(name: string): Value | undefined {
    const c = this.context;
    switch (name) {
      case 'prec':
      case 'rounding':
      case 'capitals':
      case 'clamp':
        return c[name];
      case 'Emin':
        return c.emin;
      case 'Emax':
        return c.emax;
      case 'traps':
      case 'flags':
        return new SignalDict(c, name);
      default:
        return super.attribute(name);
    }
  }
  override setAttribute(name: string, value: Value): void {
    set(this.context, name, value);
  }
}

/** The traps or flags of a context; changes take effect at once. */
class SignalDict extends PyDict {
  readonly #context: DecimalContext;
  readonly #name: 'traps' | 'flags';
  constructor(c: DecimalContext, name: 'traps' | 'flags') {
    super(SIGNALS.map((signal) => [signals[signal], c[name].has(signal)] as const));
    this.#context = c;
    this.#name = name;
  }
  override set(key: Value, value: Value): void {
    super.set(key, value);
    const signal = SIGNALS.find((one) => signals[one] === key);
    // The constructor of the base class sets items before there is a context.
    if (#context in this && signal !== undefined)
      this.#context[this.#name] = withSignal(this.#context[this.#name], signal, truthy(value));
  }
}

const OPTIONS = ['prec', 'rounding', 'Emin', 'Emax', 'capitals', 'clamp', 'flags', 'traps'];

contextClass.create = (_cls, args, kwargs) =>
  new PyContext(
    changed(
      new DecimalContext(),
      new Map([
        ...args.map((arg, i): [string, Value] => [OPTIONS[i] ?? '', arg]),
        ...(kwargs ?? []),
      ]),
    ),
  );

/** The context of an optional argument, or that of the evaluation. @throws TypeError */
export function contextOf(v: Value | undefined): DecimalContext {
  if (v === undefined || v === null) return context();
  return v instanceof PyContext
    ? v.context
    : raise('TypeError', 'optional argument must be a context');
}

defineMethods(contextClass, PyContext, {
  'copy()': (self) => new PyContext(self.context.copy()),
  'clear_flags()': (self) => {
    self.context.flags = new Set();
    return null;
  },
  'clear_traps()': (self) => {
    self.context.traps = new Set();
    return null;
  },
  'create_decimal(num=, /)': (self, value) =>
    new Decimal(self.context.finish(decimalOf(value ?? '0', self.context))),
  'Etiny()': (self) => self.context.tiny,
  'Etop()': (self) => self.context.emax - self.context.prec + 1,
  'add(a, b, /)': binaryMethod(compute.sum),
  'subtract(a, b, /)': binaryMethod((c, a, b) => compute.sum(c, a, compute.negated(b))),
  'multiply(a, b, /)': binaryMethod(compute.product),
  'divide(a, b, /)': binaryMethod(compute.quotient),
  'divide_int(a, b, /)': binaryMethod(compute.wholeQuotient),
  'remainder(a, b, /)': binaryMethod(compute.decimalRemainder),
  'quantize(a, b, /)': binaryMethod((c, a, b) => compute.quantized(c, a, b)),
  'compare(a, b, /)': binaryMethod(compute.comparison),
  'power(a, b)': binaryMethod(decimalPower),
  'sqrt(a, /)': (self, a: Value = null) => new Decimal(root(self.context, givenDecimal(a))),
  'plus(a, /)': (self, a: Value = null) =>
    new Decimal(compute.decimalPlus(self.context, givenDecimal(a))),
  'normalize(a, /)': (self, a: Value = null) =>
    new Decimal(compute.normalized(self.context, givenDecimal(a))),
});

/** `localcontext()`: a copy in force inside the block. */
const managerClass = new PyClass('ContextManager', [types.object], { module: 'decimal' });
class LocalContext extends PyObject {
  readonly inner: DecimalContext;
  outer: DecimalContext | undefined;
  constructor(inner: DecimalContext) {
    super();
    this.inner = inner;
  }
  get cls(): PyClass {
    return managerClass;
  }
}
defineMethods(managerClass, LocalContext, {
  '__enter__()': (self) => {
    self.outer = context();
    setContext(self.inner);
    return new PyContext(self.inner);
  },
  '__exit__(typ, value, traceback)': (self) => {
    setContext(self.outer);
    return false;
  },
});

/** The functions of the module about contexts. */
export const contextFunctions = {
  Context: contextClass,
  getcontext: nativeFunction('getcontext()', () => new PyContext(context())),
  setcontext: nativeFunction('setcontext(context, /)', (v: Value) => {
    setContext(contextOf(v));
    return null;
  }),
  localcontext: nativeFunction(
    'localcontext(ctx=, *, prec=, rounding=, Emin=, Emax=, capitals=, clamp=, flags=, traps=)',
    (ctx, ...options) => {
      const named = options.flatMap((value, i): [string, Value][] =>
        value === undefined ? [] : [[OPTIONS[i] ?? '', value]],
      );
      return new LocalContext(changed(contextOf(ctx).copy(), new Map(named)));
    },
  ),
} as const;

function withSignal(all: ReadonlySet<Signal>, signal: Signal, isIn: boolean): ReadonlySet<Signal> {
  return new Set(SIGNALS.filter((one) => (one === signal ? isIn : all.has(one))));
}

function changed(c: DecimalContext, kwargs: Kwargs | undefined): DecimalContext {
  for (const [name, value] of kwargs ?? []) {
    if (!OPTIONS.includes(name))
      raise('TypeError', `'${name}' is an invalid keyword argument for this function`);
    if (value !== null) set(c, name, value);
  }
  return c;
}

function set(c: DecimalContext, name: string, value: Value): void {
  switch (name) {
    case 'prec':
      c.prec = checkedPrecision(indexOf(value));
      break;
    case 'rounding':
      c.rounding =
        ROUNDINGS.find((one) => one === value) ??
        raise('TypeError', 'valid values for rounding are: ROUND_CEILING, ROUND_FLOOR, ...');
      break;
    case 'Emin':
      c.emin =
        indexOf(value) <= 0
          ? indexOf(value)
          : raise('ValueError', 'valid range for Emin is [MIN_EMIN, 0]');
      break;
    case 'Emax':
      c.emax =
        indexOf(value) >= 0
          ? indexOf(value)
          : raise('ValueError', 'valid range for Emax is [0, MAX_EMAX]');
      break;
    case 'capitals':
    case 'clamp':
      c[name] =
        asInt(value) === 0 || asInt(value) === 1
          ? indexOf(value)
          : raise('ValueError', `valid values for ${name} are [0, 1]`);
      break;
    case 'traps':
    case 'flags':
      c[name] = signalsOf(value);
      break;
    default:
      raise('AttributeError', `'decimal.Context' object has no attribute '${name}'`);
  }
}

/** The signals of a list of their classes, or of a dict with those as keys. */
function signalsOf(v: Value): ReadonlySet<Signal> {
  const taken =
    v instanceof PyDict
      ? v.pairs().flatMap(([key, value]) => (truthy(value) ? [key] : []))
      : items(v);
  return new Set(
    taken.map(
      (cls) =>
        SIGNALS.find((one) => signals[one] === cls) ??
        raise('TypeError', 'valid values for signals are the signals of this module'),
    ),
  );
}

function binaryMethod(compute2: (c: DecimalContext, a: Dec, b: Dec) => Dec) {
  return (self: PyContext, a: Value = null, b: Value = null): Value =>
    new Decimal(compute2(self.context, givenDecimal(a), givenDecimal(b)));
}
