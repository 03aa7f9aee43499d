import type { Interval } from '../schedule/interval.ts';
import { closuresOf, type Closure } from '../site/maintenance.ts';
import type { Site } from '../site/site.ts';

/** Times within a range at which a destination is closed. */
export function closedTimes(site: Site, destination: string, range: Interval): readonly Interval[] {
  return merged(
    closuresOf(site.destinations.get(destination)?.maintenance ?? [], range)
      .filter(whole)
      .map(({ during }) => during),
  );
}

/**
 * The present or next time at which all destinations of the site are closed; undefined without one
 * in the range.
 */
export function nextDowntime(site: Site, range: Interval): Interval | undefined {
  const [first = [], ...others] = [...site.destinations.keys()].map((id) =>
    closedTimes(site, id, range),
  );
  return others.reduce(shared, first).find(({ end }) => end > range.start);
}

/** Joins times that touch each other. */
function merged(intervals: readonly Interval[]): readonly Interval[] {
  const found: Interval[] = [];
  for (const one of intervals.toSorted((a, b) => a.start - b.start)) {
    const last = found.at(-1);
    if (last !== undefined && one.start <= last.end)
      found[found.length - 1] = { start: last.start, end: Math.max(last.end, one.end) };
    else found.push(one);
  }
  return found;
}

function whole({ takes }: Closure): boolean {
  return takes === 'all';
}

function shared(first: readonly Interval[], second: readonly Interval[]): readonly Interval[] {
  return first.flatMap((a) =>
    second.flatMap((b) => {
      const both = { start: Math.max(a.start, b.start), end: Math.min(a.end, b.end) };
      return both.start < both.end ? [both] : [];
    }),
  );
}
