import fc from 'fast-check';
import type { Row } from '../../../src/console/calendar/book.ts';

/** Time of tests in quarters of an hour, from this instant on. */
export const START = Date.UTC(2026, 10, 23, 12);
export const QUARTER = 900_000;

/** A row of a destination with cores and memory, as this list of free, held and firm cores tells. */
export function rowOf(
  parts: readonly {
    readonly quarters: number;
    readonly free: number;
    readonly held?: number;
    readonly firm?: number;
  }[],
  capacity = 8,
): Row {
  let start = START;
  const steps = parts.map(({ quarters, free, held = 0, firm = 0 }) => {
    const from = start;
    start += quarters * QUARTER;
    return { start: from, end: start, free: of(free), held: of(held), firm: of(firm) };
  });
  return { destination: 'a', capacity: of(capacity), steps, away: [], own: [] };
}

/** Rows of 8 cores, also those whose steps were merged: then amounts may be above the capacity. */
export const rows = fc
  .array(
    fc.record({
      quarters: fc.integer({ min: 1, max: 12 }),
      free: fc.integer({ min: 0, max: 8 }),
      held: fc.integer({ min: 0, max: 8 }),
      firm: fc.integer({ min: 0, max: 12 }),
    }),
    { minLength: 1, maxLength: 30 },
  )
  .map((parts) => rowOf(parts));

function of(cores: number) {
  return { cores, memory: 2 * cores, scratch: 0 };
}
