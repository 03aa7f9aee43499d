import { mebibytes, millicores } from '../words/units.ts';
import type { Amount, Capacity } from './amount.ts';
import type { Interval } from './interval.ts';
import { freeOverTime, leastFree, type Free, type Taken } from './profile.ts';
import type { Reserved } from './reserved.ts';

/**
 * A step of a destination's calendar. Free, held and firm may not add up: maintenance takes a part,
 * and steps may be merged.
 */
export type Step = {
  readonly during: Interval;
  readonly free: Capacity;
  readonly held: Capacity;
  readonly firm: Capacity;
};

const NOTHING: Amount = {
  cores: millicores(0),
  memory: mebibytes(0),
  scratch: mebibytes(0),
  gpus: undefined,
};

/**
 * The free, held and firm amounts of a destination over a range, as steps without gaps.
 *
 * @param closed what maintenance takes
 * @param most the most steps; if there are more, the range is divided into equal steps, each with
 * the least free and the most held and firm amount
 */
export function occupancy(
  has: Capacity,
  reserved: readonly Reserved[],
  closed: readonly Taken[],
  range: Interval,
  most: number,
): readonly Step[] {
  const none = map(has, () => 0);
  const usedBy = (state: Reserved['state']): Free =>
    freeOverTime(
      none,
      reserved.map((one) => (one.state === state ? one : { ...one, amount: NOTHING })),
    );
  const [free, held, firm] = [
    freeOverTime(has, [...reserved, ...closed]),
    usedBy('held'),
    usedBy('firm'),
  ];
  return joined(
    stepsOf(range, free.at, most).map((during) => ({
      during,
      free: map(leastFree(free, during), (value) => Math.max(0, value)),
      held: map(leastFree(held, during), (value) => 0 - value),
      firm: map(leastFree(firm, during), (value) => 0 - value),
    })),
  );
}

function map({ cores, memory, scratch, gpus }: Capacity, of: (value: number) => number): Capacity {
  return {
    cores: of(cores),
    memory: of(memory),
    scratch: of(scratch),
    gpus: new Map([...gpus].map(([type, count]) => [type, of(count)])),
  };
}

function joined(steps: readonly Step[]): readonly Step[] {
  const list: Step[] = [];
  for (const step of steps) {
    const before = list.at(-1);
    if (before !== undefined && isSame(before, step))
      list[list.length - 1] = {
        ...before,
        during: { start: before.during.start, end: step.during.end },
      };
    else list.push(step);
  }
  return list;
}

function isSame(a: Step, b: Step): boolean {
  return (
    sameCapacity(a.free, b.free) && sameCapacity(a.held, b.held) && sameCapacity(a.firm, b.firm)
  );
}

function sameCapacity(a: Capacity, b: Capacity): boolean {
  return (
    a.cores === b.cores &&
    a.memory === b.memory &&
    a.scratch === b.scratch &&
    [...a.gpus].every(([type, count]) => b.gpus.get(type) === count)
  );
}

/** The steps between changes, or equal steps of at least a minute if there would be too many. */
function stepsOf(
  { start, end }: Interval,
  moments: Iterable<number>,
  most: number,
): readonly Interval[] {
  const inside = [...new Set(moments)].filter((at) => start < at && at < end).sort((a, b) => a - b);
  const width = Math.ceil((end - start) / most / 60_000) * 60_000;
  const starts =
    inside.length < most
      ? [start, ...inside]
      : Array.from(
          { length: Math.ceil((end - start) / width) },
          (_, index) => start + index * width,
        );
  return starts.map((at, index) => ({ start: at, end: starts[index + 1] ?? end }));
}
