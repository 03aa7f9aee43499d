import type { Instant } from '../time.ts';
import type { Amounts, Book, Row } from './book.ts';

/** What somebody looks for room for. */
export type Need = {
  readonly cores: number;
  /** GiB */
  readonly memory: number;
  /** undefined: none */
  readonly gpu: { readonly type: string; readonly count: number } | undefined;
  readonly hours: number;
};

/** The first room for a need at each destination. */
export type Rooms = {
  /** the earliest first */
  readonly found: readonly { readonly destination: string; readonly start: Instant }[];
  /** destinations that have room for it, but not in the time of the book */
  readonly full: readonly string[];
  /** destinations that never have as much */
  readonly small: readonly string[];
};

const HOUR = 3_600_000;

/** Looks for room for a need at all destinations of a book. */
export function roomsIn({ rows, now }: Book, need: Need): Rooms {
  const large = rows.filter(({ capacity }) => fits(capacity, need));
  const tried = large.map((row) => ({
    destination: row.destination,
    start: firstRoom(row, need, now),
  }));
  return {
    found: tried
      .flatMap(({ destination, start }) => (start === undefined ? [] : [{ destination, start }]))
      .sort((a, b) => a.start - b.start),
    full: tried.flatMap(({ destination, start }) => (start === undefined ? [destination] : [])),
    small: rows.filter((row) => !large.includes(row)).map(({ destination }) => destination),
  };
}

/**
 * The first start, not before `from`, from which the need is free for its whole length, all of it within the steps.
 *
 * @returns undefined if there is none
 */
export function firstRoom({ steps }: Row, need: Need, from: Instant): Instant | undefined {
  const length = need.hours * HOUR;
  let start: Instant | undefined;
  for (const step of steps) {
    start = fits(step.free, need) ? (start ?? Math.max(from, step.start)) : undefined;
    if (start !== undefined && step.end - start >= length) return start;
  }
  return undefined;
}

/** Are these amounts enough? */
export function fits({ cores, memory, gpus }: Amounts, need: Need): boolean {
  const { gpu } = need;
  return (
    cores >= need.cores &&
    memory >= need.memory &&
    (gpu === undefined ||
      (gpus ?? []).some(({ type, count }) => type === gpu.type && count >= gpu.count))
  );
}
