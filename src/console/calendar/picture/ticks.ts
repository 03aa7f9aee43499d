import { dayText, hourText, inputOf, instantOf, midnights, type Instant } from '../../time.ts';
import type { Span } from './picture.ts';
import type { Days } from '../range.ts';

/** A line of the time axis. */
export type Tick = {
  readonly at: Instant;
  /** undefined: only a line */
  readonly text: string | undefined;
  /** its text has no place on a narrow screen */
  readonly isMinor: boolean;
};

/** Hours of the day with a line, and of how many days one has a text: all, and on narrow screens. */
const STYLES: Readonly<
  Record<Days, { readonly hours: number; readonly text: number; readonly narrow: number }>
> = {
  1: { hours: 3, text: 1, narrow: 2 },
  3: { hours: 12, text: 1, narrow: 1 },
  7: { hours: 24, text: 1, narrow: 2 },
  30: { hours: 24, text: 3, narrow: 9 },
};

/** Lines at midnight by the clocks of a zone and, if few days are shown, at hours between. */
export function ticksOf({ from, to }: Span, days: Days, zone: string): readonly Tick[] {
  const { hours, text, narrow } = STYLES[days];
  const first = instantOf(`${inputOf(from, zone).slice(0, 10)}T00:00`, zone) ?? from;
  const starts = [first, ...midnights({ from, to, zone })];
  return starts
    .flatMap((midnight) => hoursOf(midnight, hours, zone))
    .filter((at) => from < at && at < to)
    .map((at, index) => ({
      at,
      text: index % text === 0 ? textOf(at, starts, zone) : undefined,
      isMinor: index % narrow !== 0,
    }));
}

function hoursOf(midnight: Instant, every: number, zone: string): readonly Instant[] {
  const day = inputOf(midnight, zone).slice(0, 10);
  return Array.from({ length: 24 / every }, (_, index) => index * every).flatMap(
    (hour) => instantOf(`${day}T${String(hour).padStart(2, '0')}:00`, zone) ?? [],
  );
}

function textOf(at: Instant, midnights: readonly Instant[], zone: string): string {
  return midnights.includes(at) ? dayText(at, zone) : hourText(at, zone);
}
