import { raise } from '../../errors.ts';
import { tick } from '../../meter.ts';
import { ratio } from '../../builtins/numbers/operations.ts';
import { binary } from '../../objects/numbers/arithmetic.ts';
import { float, integer, toDouble } from '../../objects/numbers/number.ts';
import { squareRoot } from '../../objects/numbers/precise.ts';
import type { Value } from '../../objects/object.ts';

/** The exact sum of floats, computed with BigInt fractions and rounded once. */
export function fsum(data: readonly Value[]): Value {
  const partials: number[] = [];
  const all = data.map(toDouble);
  if (all.some((x) => !Number.isFinite(x))) {
    if (all.includes(Infinity) && all.includes(-Infinity))
      raise('ValueError', '-inf + inf in fsum');
    return float(all.reduce((sum, x) => (Number.isFinite(x) ? sum : sum + x), 0));
  }
  for (const item of all) {
    let x = item;
    let kept = 0;
    for (const partial of partials.slice()) {
      const [big, small] = Math.abs(x) < Math.abs(partial) ? [partial, x] : [x, partial];
      const high = big + small;
      const low = small - (high - big);
      if (low !== 0) partials[kept] = low;
      if (low !== 0) kept += 1;
      x = high;
    }
    partials.splice(kept, partials.length, x);
  }
  if (partials.some((partial) => !Number.isFinite(partial)))
    raise('OverflowError', 'intermediate overflow in fsum');
  const fractions = partials.map(ratio);
  const under = fractions.reduce((most, [, d]) => (d > most ? d : most), 1n);
  const over = fractions.reduce((sum, [n, d]) => sum + n * (under / d), 0n);
  return float(toDouble(binary('/', integer(over), integer(under))));
}

/** The length of a vector, rounded once. */
export function norm(parts: readonly number[]): number {
  if (parts.some((x) => Math.abs(x) === Infinity)) return Infinity;
  if (parts.some((x) => Number.isNaN(x))) return Number.NaN;
  tick(parts.length * 8);
  const fractions = parts.map(ratio);
  const under = fractions.reduce((most, [, d]) => (d > most ? d : most), 1n);
  const over = fractions.reduce((sum, [n, d]) => sum + (n * (under / d)) ** 2n, 0n);
  return squareRoot(over, under * under);
}
