import { raise } from '../../errors.ts';
import { binary, mul, sub } from '../../objects/numbers/arithmetic.ts';
import { truthy, gt, lt } from '../../objects/compare.ts';
import { float, integer, toDouble } from '../../objects/numbers/number.ts';
import { typeName } from '../../objects/types.ts';
import type { Value } from '../../objects/object.ts';
import { squareRoot } from '../../objects/numbers/precise.ts';
import { call, getAttribute } from '../../objects/protocol.ts';
import { decimalClass } from '../decimal/decimal.ts';
import { needsMore } from './error.ts';
import { converted, dividedBy, pairOf, addFractions, times } from './fractions.ts';
import type { Fraction, NumberKind } from './fractions.ts';
import { isSpecial, summed } from './sums.ts';
import type { Total } from './sums.ts';

type Spread = {
  readonly kind: NumberKind;
  readonly squares: Total;
  readonly mean: Total;
  readonly count: number;
};

/** Name of the function; `correction` is 1 for a sample and 0 for a whole population. */
export type Sample = { readonly name: string; readonly correction: 0 | 1 };

/** `variance` and `pvariance`. @throws StatisticsError, TypeError */
export function variance(data: readonly Value[], mean: Value, sample: Sample): Value {
  const { kind, squares, count } = spreadOf(data, mean);
  checkCount(count, sample);
  if (isSpecial(squares)) return binary('/', squares.special, count - sample.correction);
  return converted(dividedBy(squares, count - sample.correction), kind);
}

/**
 * `stdev` and `pstdev`.
 * @throws StatisticsError, TypeError; AttributeError for infinities, as CPython does
 */
export function deviation(data: readonly Value[], mean: Value, sample: Sample): Value {
  const { kind, squares, count } = spreadOf(data, mean);
  checkCount(count, sample);
  if (isSpecial(squares))
    return raise(
      'AttributeError',
      `'${typeName(squares.special)}' object has no attribute 'numerator'`,
    );
  const root = dividedBy(squares, count - sample.correction);
  return kind === 'decimal' ? decimalRoot(root) : float(squareRoot(...root));
}

/** Mean and standard deviation of a sample, as floats. @throws StatisticsError, TypeError */
export function meanAndDeviation(data: readonly Value[]): readonly [number, number] {
  const { squares, mean, count } = spreadOf(data, null);
  checkCount(count, { name: 'stdev', correction: 1 });
  if (isSpecial(squares) || isSpecial(mean)) {
    const [size, spread] = [
      isSpecial(mean) ? toDouble(mean.special) : 0,
      isSpecial(squares) ? toDouble(squares.special) : 0,
    ];
    return [size, size / spread];
  }
  return [
    toDouble(binary('/', integer(mean[0]), integer(mean[1]))),
    squareRoot(...dividedBy(squares, count - 1)),
  ];
}

/** The sum of squared distances from the given mean, or from that of the data. */
function spreadOf(data: readonly Value[], mean: Value): Spread {
  if (mean !== null) {
    const { kind, total, count } = summed(
      data.map((v) => {
        const distance = sub(v, mean);
        return mul(distance, distance);
      }),
    );
    return { kind, squares: total, mean: { special: mean }, count };
  }
  const { kind, total, squares, count } = summed(data, true);
  if (isSpecial(total) || isSpecial(squares) || count === 0)
    return { kind, squares: total, mean: total, count };
  const square: Fraction = [-total[0] * total[0], total[1] * total[1]];
  return {
    kind,
    squares: addFractions(squares, dividedBy(times(square, [1n, 1n]), count)),
    mean: dividedBy(total, count),
    count,
  };
}

function checkCount(count: number, { name, correction }: Sample): void {
  if (count <= correction) needsMore(name, correction === 1 ? 'two data points' : 'one data point');
}

/**
 * The square root of a fraction as a decimal, rounded once: the root of the quotient may be off by
 * one.
 */
function decimalRoot([above, below]: Fraction): Value {
  if (above === 0n) return call(decimalClass, ['0.0']);
  const decimal = (n: bigint): Value => call(decimalClass, [integer(n)]);
  const root = method(binary('/', decimal(above), decimal(below)), 'sqrt');
  const [nr, dr] = pairOf(method(root, 'as_integer_ratio'));
  const beyond = (other: Value, isBeyond: typeof gt): boolean => {
    const [n, d] = pairOf(method(other, 'as_integer_ratio'));
    return truthy(
      isBeyond(integer(4n * above * (dr * d) ** 2n), integer(below * (dr * n + d * nr) ** 2n)),
    );
  };
  const [next, before] = [method(root, 'next_plus'), method(root, 'next_minus')];
  if (beyond(next, gt)) return next;
  return beyond(before, lt) ? before : root;
}

function method(v: Value, name: string): Value {
  return call(getAttribute(v, name), []);
}
