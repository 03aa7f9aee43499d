import { defineMethods } from '../../objects/classes/native.ts';
import type { Value } from '../../objects/object.ts';
import type { DecimalContext } from './context.ts';
import { contextOf } from './contexts.ts';
import { Decimal, decimalClass, givenDecimal } from './decimal.ts';
import { comparedDecimals, isFiniteDecimal, infinite, isNaNDec } from './number.ts';
import type { Dec } from './number.ts';
import * as compute from './compute.ts';

const NANS = { finite: 0, infinite: 0, nan: 1, snan: 2 } as const;

defineMethods(decimalClass, Decimal, {
  'next_plus(context=)': (self, by) => new Decimal(neighbour(contextOf(by), self.dec, 1)),
  'next_minus(context=)': (self, by) => new Decimal(neighbour(contextOf(by), self.dec, -1)),
  'compare_total(other, context=)': (self, other: Value = null) =>
    total(totalOrder(self.dec, givenDecimal(other))),
  'compare_total_mag(other, context=)': (self, other: Value = null) =>
    total(totalOrder(compute.absolute(self.dec), compute.absolute(givenDecimal(other)))),
  'compare_signal(other, context=)': (self, other: Value = null, by) => {
    const [c, theirs] = [contextOf(by), givenDecimal(other)];
    if (isNaNDec(self.dec) || isNaNDec(theirs)) c.invalid();
    return new Decimal(compute.comparison(c, self.dec, theirs));
  },
  'radix()': () => new Decimal(isFiniteDecimal(1, 10n, 0)),
});

/** The nearest number of a context above or below `d`. Only a signaling NaN signals. */
function neighbour(c: DecimalContext, d: Dec, way: 1 | -1): Dec {
  const nan = compute.nanOf(c, d);
  if (nan !== undefined) return nan;
  if (d.kind === 'infinite')
    return d.sign === way
      ? d
      : isFiniteDecimal(d.sign, 10n ** BigInt(c.prec) - 1n, c.emax - c.prec + 1);
  const quiet = c.copy({ rounding: way > 0 ? 'ROUND_CEILING' : 'ROUND_FLOOR', traps: new Set() });
  const rounded = quiet.finish(d);
  if (rounded.kind !== 'finite' || comparedDecimals(rounded, d) !== 0)
    return rounded.kind === 'finite' ? rounded : infinite(rounded.sign);
  return compute.sum(quiet, d, isFiniteDecimal(way, 1n, c.tiny - 1));
}

/** The total order of all representations, with NaN, and with `1.0` before `1`. */
function totalOrder(a: Dec, b: Dec): -1 | 0 | 1 {
  if (a.sign !== b.sign) return a.sign;
  const turned = (order: number): -1 | 0 | 1 => {
    const way = order * a.sign;
    return way < 0 ? -1 : way > 0 ? 1 : 0;
  };
  const [x, y] = [NANS[a.kind], NANS[b.kind]];
  if (x !== y) return turned(x === 1 || (x === 2 && y !== 1) ? 1 : -1);
  if (x !== 0)
    return turned(a.coefficient < b.coefficient ? -1 : a.coefficient > b.coefficient ? 1 : 0);
  const order = comparedDecimals(a, b);
  return order === 0 ? turned(a.exponent - b.exponent) : order;
}

function total(order: -1 | 0 | 1): Decimal {
  return new Decimal(isFiniteDecimal(order < 0 ? -1 : 1, order === 0 ? 0n : 1n, 0));
}
