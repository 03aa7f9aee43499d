import { hash } from 'node:crypto';
import { Router, type Request } from 'express';
import type { Database } from '../../db/client.ts';
import type { OwnDocuments } from '../../planner/dialect.ts';
import { calendarsOf } from '../../planner/plan/calendar.ts';
import { personOf } from '../../quotas/scopes.ts';
import type { Instant } from '../../schedule/interval.ts';
import { readReserved, type CalendarPart, type ReservedReading } from '../../schedule/reserved.ts';
import { readPools } from '../../schedule/resource-pools.ts';
import { readResultsUse } from '../../schedule/results.ts';
import type { Site } from '../../site/site.ts';
import { parseInstant } from '../../words/iso8601.ts';
import { Problem } from '../../words/problem.ts';
import { principalOf } from '../identified.ts';
import { replyAs } from '../body/reply.ts';
import { requireAcceptable } from '../body/representation.ts';
import type { SpendRate } from './too-many-asks.ts';

type CalendarParts = {
  readonly database: Database;
  readonly site: () => Site;
  readonly spendRate: SpendRate;
  readonly printCalendar: OwnDocuments['printCalendar'];
};

const BOUNDS = { perDestination: 1000, inAll: 2000 };

/** What is free, held and firm at every destination over time, as sums, for everybody who may ask. */
export function calendarRoutes({
  database,
  site,
  spendRate,
  printCalendar,
}: CalendarParts): Router {
  const router = Router();
  router.get('/calendar', requireAcceptable(), async (request, response) => {
    const current = site();
    // A calendar costs as much as an ask.
    spendRate(principalOf(request));
    const wanted = destinationsOf(request, current);
    const { horizon } = current.offers;
    const pools = new Set(wanted.flatMap(({ results }) => results?.name ?? []));
    const [reading, used, held] = await Promise.all([
      readReserved(
        database,
        wanted.map(({ id }) => id),
        partOf(request, horizon),
      ),
      readResultsUse(database, [...pools]),
      readPools(database, personOf(current.quotas, principalOf(request))),
    ]);
    checkRange(reading, horizon);
    const { now, range, reserved } = reading;
    const { document, toYaml } = printCalendar(
      range,
      calendarsOf(wanted, current.offers, reserved, { now, range, bounds: BOUNDS, used }),
      held,
    );
    const tag = `W/"${hash('sha256', JSON.stringify(document), 'base64url')}"`;
    response.set({ ETag: tag, 'Cache-Control': 'private, no-cache' }).vary('Accept');
    if (hasAlready(request, tag)) response.status(304).end();
    else replyAs(request, response, { status: 200, document, problem: false, toYaml });
  });
  return router;
}

function destinationsOf(request: Request, { destinations }: Site) {
  const given = request.query['destination'];
  if (given === undefined) return [...destinations.values()];
  const names = new Set((Array.isArray(given) ? given : [given]).map(String));
  return [...names].map((name) => {
    const found = destinations.get(name);
    if (found === undefined)
      throw invalid('destination', `is ${name.slice(0, 60)}, which is no destination of this site`);
    return found;
  });
}

function invalid(path: string, text: string): Problem {
  return new Problem('parameter-invalid', `The parameter ${path} ${text}.`, {
    errors: [{ path, text }],
  });
}

function partOf(request: Request, horizon: number): CalendarPart {
  const [from, to] = [instantOf(request, 'from'), instantOf(request, 'to')];
  if (from !== undefined && to !== undefined && to <= from)
    throw invalid('to', 'must be later than from');
  return { from, to, horizon };
}

function instantOf(request: Request, name: 'from' | 'to'): Instant | undefined {
  const given = request.query[name];
  if (given === undefined) return undefined;
  const instant = parseInstant(String(given));
  // A plus that is not encoded arrives as a space.
  if (!instant.ok)
    throw invalid(
      name,
      `is ${String(given).slice(0, 40)}; write an instant with its zone, such as 2026-08-10T10:00Z`,
    );
  return instant.value;
}

/** The book has neither the past nor times beyond the horizon, so they are not shown as free. */
function checkRange({ now, range }: ReservedReading, horizon: number): void {
  const last = now + horizon * 1000;
  const text = `is beyond the horizon, which ends at ${new Date(last).toISOString()}`;
  if (range.start >= last) throw invalid('from', text);
  if (range.end <= range.start) throw invalid('to', 'is past; the calendar begins now');
  if (range.end > last) throw invalid('to', text);
}

/**
 * Does the client have this version? Express always says no to requests with `no-cache`, which
 * fetch adds to a page's own If-None-Match.
 */
function hasAlready(request: Request, tag: string): boolean {
  return (request.get('if-none-match') ?? '').split(',').some((one) => one.trim() === tag);
}
