import { mebibytes, millicores } from '../words/units.ts';
import type { Amount } from './amount.ts';
import { containsInterval, type Interval } from './interval.ts';
import type { Taken } from './profile.ts';

/**
 * The reservation that allows any one of the alternatives: at every instant the element-wise
 * maximum of the alternatives that cover it, never their sum. All are at one destination and ask
 * for GPUs of one type.
 *
 * @returns intervals that do not overlap, in order of time; neighbours with the same amount are
 * joined
 */
export function envelope(alternatives: readonly Taken[]): readonly Taken[] {
  const moments = new Set(alternatives.flatMap(({ during }) => [during.start, during.end]));
  const sorted = [...moments].sort((a, b) => a - b);
  const holds: Taken[] = [];
  for (const [index, start] of sorted.entries()) {
    const end = sorted[index + 1];
    const [first, ...rest] = alternatives.filter(({ during }) => containsInterval(during, start));
    if (end === undefined || first === undefined) continue;
    const amount = rest.reduce((most, next) => larger(most, next.amount), first.amount);
    const during: Interval = { start, end };
    const before = holds.at(-1);
    if (
      before !== undefined &&
      before.during.end === start &&
      isSameAmount(before.amount, amount)
    ) {
      holds[holds.length - 1] = { during: { start: before.during.start, end }, amount };
    } else {
      holds.push({ during, amount });
    }
  }
  return holds;
}

function larger(a: Amount, b: Amount): Amount {
  return {
    cores: millicores(Math.max(a.cores, b.cores)),
    memory: mebibytes(Math.max(a.memory, b.memory)),
    scratch: mebibytes(Math.max(a.scratch, b.scratch)),
    gpus: (a.gpus?.count ?? 0) >= (b.gpus?.count ?? 0) ? (a.gpus ?? b.gpus) : b.gpus,
  };
}

function isSameAmount(a: Amount, b: Amount): boolean {
  return (
    a.cores === b.cores &&
    a.memory === b.memory &&
    a.scratch === b.scratch &&
    a.gpus?.count === b.gpus?.count
  );
}
