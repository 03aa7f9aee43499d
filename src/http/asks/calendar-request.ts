import type { Request } from 'express';
import type { Instant } from '../../schedule/interval.ts';
import type { CalendarPart, ReservedReading } from '../../schedule/reserved.ts';
import type { SiteDestination } from '../../site/destination.ts';
import type { Site } from '../../site/site.ts';
import { parseInstant } from '../../words/iso8601.ts';
import { faulty } from '../body/faulty.ts';

/** The contract has checked the value. */
export function wantsOwn({ query }: Request): boolean {
  return String(query['mine']) === 'true';
}

/** @throws Problem `parameter-invalid` (400) for a name that is no destination */
export function destinationsOf(
  request: Request,
  { destinations }: Site,
): readonly SiteDestination[] {
  const given = request.query['destination'];
  if (given === undefined) return [...destinations.values()];
  const names = new Set((Array.isArray(given) ? given : [given]).map(String));
  return [...names].map((name) => {
    const found = destinations.get(name);
    if (found === undefined)
      throw faulty(
        'parameter',
        'destination',
        `is ${name.slice(0, 60)}, which is no destination of this site`,
      );
    return found;
  });
}

/** @throws Problem `parameter-invalid` (400) */
export function requestedPart(request: Request, horizon: number): CalendarPart {
  const [from, to] = [instantOf(request, 'from'), instantOf(request, 'to')];
  if (from !== undefined && to !== undefined && to <= from)
    throw faulty('parameter', 'to', 'must be later than from');
  return { from, to, horizon };
}

/** The book has neither the past nor times beyond the horizon, so they are not shown as free. */
export function checkRange({ now, range }: ReservedReading, horizon: number): void {
  const last = now + horizon * 1000;
  const text = `is beyond the horizon, which ends at ${new Date(last).toISOString()}`;
  if (range.start >= last) throw faulty('parameter', 'from', text);
  if (range.end <= range.start) throw faulty('parameter', 'to', 'is past; the calendar begins now');
  if (range.end > last) throw faulty('parameter', 'to', text);
}

function instantOf(request: Request, name: 'from' | 'to'): Instant | undefined {
  const given = request.query[name];
  if (given === undefined) return undefined;
  const instant = parseInstant(String(given));
  // A plus that is not encoded arrives as a space.
  if (!instant.ok)
    throw faulty(
      'parameter',
      name,
      `is ${String(given).slice(0, 40)}; write an instant with its zone, such as 2026-08-10T10:00Z`,
    );
  return instant.value;
}
