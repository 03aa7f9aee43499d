import { setTimeout as delay } from 'node:timers/promises';
import type { Limits } from '../port.ts';
import type { JobDirectory } from './directory.ts';
import { stopFor, type Stop } from './outcome.ts';
import { checkScratch, mostOutput } from './scratch.ts';

/** A run whose output an engine keeps. */
export type WatchedRun = { readonly place: JobDirectory; readonly limits: Limits };

/** Copies the output of one run and counts what it writes; one of each at a time. */
export type RunWatch = {
  readonly isCopying: () => boolean;
  /** Copies until the output ends. */
  readonly copy: (work: (most: number, signal: AbortSignal) => Promise<boolean>) => void;
  /** Counts files, and does what else is to be done as often. */
  readonly count: (also?: () => Promise<void>) => void;
  /**
   * Ends the copy, and resolves once nothing is written to the job's files any more.
   *
   * @param patience milliseconds that the rest of the output may take
   */
  readonly close: (patience?: number) => Promise<void>;
};

/**
 * @param onStop called when the run wrote more than its scratch space
 * @param onCopied called when all of its output is copied
 */
export function watchRun(
  { place, limits }: WatchedRun,
  onStop: (stop: Stop) => void,
  onCopied: () => void = () => undefined,
): RunWatch {
  const abort = new AbortController();
  let copying: Promise<void> | undefined;
  let isCounting = false;
  return {
    isCopying: () => copying !== undefined,
    copy: (work) => {
      copying ??= work(mostOutput(limits), abort.signal)
        .then(
          (isWhole) => (isWhole ? onCopied() : onStop(stopFor('output', limits))),
          () => undefined,
        )
        .finally(() => {
          copying = undefined;
        });
    },
    count: (also = async () => undefined) => {
      if (isCounting) return;
      isCounting = true;
      const counted = checkScratch(limits, place).then((stop) => stop && onStop(stop));
      void Promise.all([counted, also()])
        .catch(() => undefined)
        .finally(() => {
          isCounting = false;
        });
    },
    close: async (patience = 0) => {
      if (patience > 0) await Promise.race([copying, delay(patience, undefined, { ref: false })]);
      abort.abort();
      await copying;
    },
  };
}

/**
 * When a run takes longer than was offered, by `performance.now()`: nobody sets that clock.
 *
 * @param startedAt milliseconds since 1970
 */
export function deadlineOf({ wallTime }: Limits, startedAt: number): number {
  return performance.now() + startedAt - Date.now() + wallTime * 1000;
}

/** The stop of a run that takes longer than was offered; undefined while it does not. */
export function overTime(limits: Limits, deadline: number): Stop | undefined {
  return performance.now() > deadline ? stopFor('wall-time', limits) : undefined;
}
