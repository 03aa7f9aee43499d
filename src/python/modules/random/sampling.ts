import type { RandomSource } from './source.ts';
import { raise } from '../../errors.ts';
import { tick } from '../../meter.ts';
import { PyList } from '../../objects/collections/list.ts';
import { indexOf, isIntValue, toDouble } from '../../objects/numbers/number.ts';
import { PyObject } from '../../objects/object.ts';
import { typeName } from '../../objects/types.ts';
import type { Value } from '../../objects/object.ts';
import { items, lengthOf } from '../../objects/protocol.ts';
import { PyRange } from '../../objects/collections/range.ts';
import { PySet } from '../../objects/collections/set.ts';
import { PyDict } from '../../objects/collections/dict.ts';

export function choice(self: RandomSource, seq: Value): Value {
  const length = seq instanceof PyDict ? seq.length() : lengthOf(seq);
  if (length === 0) raise('IndexError', 'Cannot choose from an empty sequence');
  if (seq instanceof PyDict || seq instanceof PyRange) return seq.item(self.below(length));
  return population(seq, 'choice')[self.below(length)] ?? null;
}

/**
 * With a seed, CPython's algorithm. Without one, each pick is removed from the rest, so that a
 * source of zeros keeps the order.
 */
export function sample(self: RandomSource, from: Value[], k: number): Value[] {
  const n = from.length;
  if (k < 0 || k > n) raise('ValueError', 'Sample larger than population or is negative');
  tick(n);
  if (!self.isSeeded) return takenOut(self, from, k);
  const setSize = k > 5 ? 21 + 4 ** Math.ceil(Math.log(k * 3) / Math.log(4)) : 21;
  if (n <= setSize) {
    const pool = [...from];
    return Array.from({ length: k }, (_, i) => {
      const at = self.below(n - i);
      const picked = pool[at] ?? null;
      pool[at] = pool[n - i - 1] ?? null;
      return picked;
    });
  }
  const taken = new Set<number>();
  return Array.from({ length: k }, () => {
    let at = self.below(n);
    while (taken.has(at)) at = self.below(n);
    taken.add(at);
    return from[at] ?? null;
  });
}

export function choices(
  self: RandomSource,
  source: Value,
  weights: Value | undefined,
  cumulative: Value | undefined,
  times: Value,
): Value[] {
  // CPython takes the length first, and the elements only when it chooses.
  const n = lengthOf(source);
  const picker = (): ((at: number) => Value) => {
    if (source instanceof PyDict) return (at) => source.item(at);
    const from = population(source, 'choices');
    return (at) => from[at] ?? null;
  };
  const picked = (times: number, next: () => number): Value[] => {
    tick(Math.max(0, times));
    if (times <= 0) return [];
    const pick = picker();
    return Array.from({ length: times }, () => pick(next()));
  };
  if ((weights ?? null) === null && (cumulative ?? null) === null) {
    const k = indexOf(times);
    if (k > 0 && n === 0 && !(source instanceof PyDict)) {
      picker();
      raise('IndexError', 'list index out of range');
    }
    return picked(k, () => Math.floor(self.random() * n));
  }
  let sum = 0;
  const totals = items(cumulative ?? weights ?? null).map((w) =>
    cumulative === undefined ? (sum += toDouble(w)) : toDouble(w),
  );
  if (totals.length !== n)
    raise('ValueError', 'The number of weights does not match the population');
  const total = totals.at(-1) ?? 0;
  if (total <= 0) raise('ValueError', 'Total of weights must be greater than zero');
  if (!Number.isFinite(total)) raise('ValueError', 'Total of weights must be finite');
  return picked(indexOf(times), () => {
    const r = self.random() * total;
    const at = totals.slice(0, -1).findIndex((t) => r < t);
    return at < 0 ? n - 1 : at;
  });
}

/** The elements of a sequence to choose from; refuses sets, as CPython does. */
export function population(v: Value, fn: string): Value[] {
  const isView = v instanceof PyObject && /^o?dict_/.test(v.cls.name);
  if (v instanceof PySet || v instanceof PyDict || isView)
    raise(
      'TypeError',
      fn === 'sample'
        ? 'Population must be a sequence.  For dicts or sets, use sorted(d).'
        : `'${typeName(v)}' object is not subscriptable`,
    );
  if (v instanceof PyRange) tick(v.count);
  return items(v);
}

/** A population in which each element stands as often as its count says. */
export function repeatedBy(from: readonly Value[], counts: readonly Value[]): Value[] {
  if (counts.length !== from.length)
    raise('ValueError', 'The number of counts does not match the population');
  const times = counts.map((count) => {
    if (!isIntValue(count)) raise('TypeError', 'Counts must be integers');
    return indexOf(count);
  });
  const total = times.reduce((sum, count) => sum + count, 0);
  if (total <= 0) raise('ValueError', 'Total of counts must be greater than zero');
  tick(total);
  return from.flatMap((item, i) => Array.from({ length: Math.max(0, times[i] ?? 0) }, () => item));
}

export function shuffle(self: RandomSource, v: Value): null {
  if (!(v instanceof PyList))
    return raise('TypeError', `'${typeName(v)}' object does not support item assignment`);
  for (let i = v.items.length - 1; i > 0; i -= 1) {
    const j = self.below(i + 1);
    const [a, b] = [v.items[i] ?? null, v.items[j] ?? null];
    [v.items[i], v.items[j]] = [b, a];
  }
  return null;
}

/**
 * `k` picks, each removed from the rest; a rank function draws all destinations in every decision.
 */
function takenOut(self: RandomSource, from: Value[], k: number): Value[] {
  const picked: Value[] = [];
  while (picked.length < k) {
    const at = self.below(from.length);
    picked.push(from[at] ?? null);
    from.copyWithin(at, at + 1);
    from.pop();
  }
  return picked;
}
