import { ratio } from '../../builtins/numbers/operations.ts';
import { tick } from '../../meter.ts';
import { add, mul } from '../../objects/numbers/arithmetic.ts';
import { asFloat, asInt } from '../../objects/numbers/number.ts';
import type { Value } from '../../objects/object.ts';
import { call, catching, getAttribute } from '../../objects/protocol.ts';
import { coerced, kindOf, pairOf, addFractions, reduced } from './fractions.ts';
import type { Fraction, NumberKind } from './fractions.ts';

/** An exact sum, or the infinity or NaN that an element makes of it. */
export type Total = Fraction | { readonly special: Value };

export function isSpecial(total: Total): total is { readonly special: Value } {
  return 'special' in total;
}

/**
 * Sums of numbers and of their squares, kept per denominator: floats have few, so nothing is
 * multiplied in between.
 */
class Partials {
  readonly #sums = new Map<bigint, bigint>();

  add([over, under]: Fraction): void {
    tick(1);
    this.#sums.set(under, (this.#sums.get(under) ?? 0n) + over);
  }
  get total(): Fraction {
    return [...this.#sums].reduce<Fraction>(
      (sum, [under, over]) => addFractions(sum, reduced(over, under)),
      [0n, 1n],
    );
  }
}

type Summed = {
  readonly kind: NumberKind;
  readonly total: Total;
  readonly squares: Total;
  readonly count: number;
};

/**
 * Sums of data and, on request, of its squares.
 * @throws TypeError for other values than numbers, and for types that do not mix
 */
export function summed(data: readonly Value[], wantsSquares = false): Summed {
  const [sums, squares] = [new Partials(), new Partials()];
  let kind: NumberKind = 'int';
  let special: Value | undefined;
  let specialSquares: Value = 0;
  for (const v of data) {
    const own = kindOf(v);
    const exact = exactly(v);
    kind = coerced(kind, own);
    if (exact === undefined) {
      special = add(special ?? 0, v);
      if (wantsSquares) specialSquares = add(specialSquares, mul(v, v));
    } else {
      sums.add(exact);
      if (wantsSquares) squares.add([exact[0] * exact[0], exact[1] * exact[1]]);
    }
  }
  const count = data.length;
  if (special !== undefined)
    return { kind, total: { special }, squares: { special: specialSquares }, count };
  return { kind, total: sums.total, squares: squares.total, count };
}

/** The fraction of a number; `undefined` for infinities and NaN. @throws TypeError */
function exactly(v: Value): Fraction | undefined {
  const n = asInt(v);
  if (n !== undefined) return [BigInt(n), 1n];
  const x = asFloat(v);
  if (x !== undefined) return Number.isFinite(x) ? ratio(x) : undefined;
  const pair = catching(['OverflowError', 'ValueError'], () =>
    call(getAttribute(v, 'as_integer_ratio'), []),
  );
  return pair === undefined ? undefined : pairOf(pair);
}
