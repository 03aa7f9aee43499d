import type { Amount, Capacity } from '../../schedule/amount.ts';
import { printInstant } from '../../words/iso8601.ts';
import type { DestinationCalendar } from './calendar.ts';

/** Amounts in numbers that can be drawn: cores, GiB, GPUs. */
export type DrawnAmounts = {
  cores: number;
  memory: number;
  scratch: number;
  gpus?: { type: string; count: number }[];
};

/** A time without a destination or a part of it, with what it takes. */
export type DrawnClosure = {
  start: string;
  end: string;
  reason: string;
  takes: DrawnAmounts | 'all';
};

/** GiB with three decimals: nobody sees a MiB in a picture. */
export function drawnGibibytes(mebibytes: number): number {
  return Math.round(mebibytes / 1.024) / 1000;
}

/** A capacity as pictures show it. */
export function drawnCapacity({ cores, memory, scratch, gpus }: Capacity): DrawnAmounts {
  return {
    cores: cores / 1000,
    memory: drawnGibibytes(memory),
    scratch: drawnGibibytes(scratch),
    ...(gpus.size > 0 && { gpus: [...gpus].map(([type, count]) => ({ type, count })) }),
  };
}

/** What one job or closure takes, as pictures show it. */
export function drawnAmount({ cores, memory, scratch, gpus }: Amount): DrawnAmounts {
  return drawnCapacity({
    cores,
    memory,
    scratch,
    gpus: new Map(gpus === undefined ? [] : [[gpus.type, gpus.count]]),
  });
}

/** A closure as pictures show it. */
export function drawnClosure({
  during: { start, end },
  reason,
  takes,
}: DestinationCalendar['closures'][number]): DrawnClosure {
  return {
    start: printInstant(start),
    end: printInstant(end),
    reason,
    takes: takes === 'all' ? takes : drawnAmount(takes),
  };
}
