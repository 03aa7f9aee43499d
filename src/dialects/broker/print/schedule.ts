import { printInstant } from '../../../words/iso8601.ts';
import { printDuration } from '../../duration.ts';
import type { PrintedFor, WireSchedule } from './words.ts';

/** When a session prepares, runs and releases. Times in milliseconds since 1970, lengths in seconds. */
export type Times = {
  readonly startsAt: number;
  readonly durationS: number;
  /** undefined: the answer of a dry run does not say them */
  readonly prepareS?: number | undefined;
  readonly releaseS?: number | undefined;
};

/**
 * The times of a session. The run begins at its start exactly: the drafts of 2024 and 2025 write
 * that as an interval without a length.
 */
export function printSchedule(
  { spelling, request }: PrintedFor,
  { startsAt, durationS, prepareS, releaseS }: Times,
): WireSchedule {
  const isOld = spelling.generation === 'types';
  const instant = (at: number): string => printInstant(at) + (isOld ? EXACTLY : '');
  const run = { start: printInstant(startsAt) + EXACTLY, duration: printDuration(durationS) };
  const requested = isOld ? request?.schedule?.requested : undefined;
  return {
    ...(requested === undefined ? {} : { requested }),
    ...(prepareS === undefined
      ? {}
      : {
          preparing: {
            start: instant(startsAt - prepareS * 1000),
            duration: printDuration(prepareS),
          },
        }),
    [isOld ? 'executing' : 'available']: run,
    ...(releaseS === undefined
      ? {}
      : {
          releasing: {
            start: instant(startsAt + durationS * 1000),
            duration: printDuration(releaseS),
          },
        }),
  };
}

const EXACTLY = '/PT0S';
