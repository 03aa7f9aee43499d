import type { Closed } from '../schedule/closures.ts';
import { closuresOf } from './maintenance.ts';
import type { Site } from './site.ts';
import { printInstant } from '../words/iso8601.ts';

/**
 * More than the difference between the clocks of two machines; the database compares with its own.
 */
const MARGIN_MS = 3_600_000;
/** Hourly maintenance for six weeks has about 1000 closures. */
const MOST = 1000;

/**
 * The maintenance within the site's horizon that a job could run into, for `write_closures` in
 * prisma/functions.sql.
 */
export function closedAhead(
  { destinations, offers: { longest, horizon } }: Pick<Site, 'destinations' | 'offers'>,
  now: number,
): readonly Closed[] {
  return [...destinations].flatMap(([destination, { capacity, maintenance, release }]) =>
    closuresOf(maintenance, {
      start: now - MARGIN_MS,
      end: now + (horizon + longest + release) * 1000 + MARGIN_MS,
    })
      .filter(({ during }) => during.end > now - MARGIN_MS)
      .slice(0, MOST)
      .map(({ during, takes }) => {
        const { cores, memory, scratch } = takes === 'all' ? capacity : takes;
        return {
          destination,
          startsAt: printInstant(during.start),
          endsAt: printInstant(during.end),
          cores,
          memory,
          scratch,
        };
      }),
  );
}
