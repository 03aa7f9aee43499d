import { hash } from 'node:crypto';
import { Router } from 'express';
import type { Database } from '../../db/client.ts';
import { ownerOf } from '../../identity/principal.ts';
import type { OwnDocuments } from '../../planner/dialect.ts';
import { createEventLoopYield } from '../../planner/event-loop.ts';
import { calendarOf, stepsEach, type DestinationCalendar } from '../../planner/plan/calendar.ts';
import { personOf } from '../../quotas/scopes.ts';
import { readOwn, readReserved } from '../../schedule/reserved.ts';
import { readPools } from '../../schedule/resource-pools.ts';
import { readResultsUse } from '../../schedule/results.ts';
import type { Site } from '../../site/site.ts';
import { principalOf } from '../identified.ts';
import { hasAlready, replyAs, requireDigest, tagOf } from '../body/reply.ts';
import { requireAcceptable } from '../body/representation.ts';
import { checkRange, destinationsOf, requestedPart, wantsOwn } from './calendar-request.ts';
import type { GiveBack, SpendRate } from './too-many-asks.ts';

type CalendarParts = {
  readonly database: Database;
  readonly site: () => Site;
  readonly spendRate: SpendRate;
  readonly giveBack: GiveBack;
  readonly printCalendar: OwnDocuments['printCalendar'];
};

/** The reader's own reservations in an answer, the earliest ones. */
const MOST_OWN = 1000;
const BOUNDS = { perDestination: 1000, inAll: 10_000 };

/** What is free, held and firm at every destination over time, as sums, for everybody who may ask. */
export function calendarRoutes({
  database,
  site,
  spendRate,
  giveBack,
  printCalendar,
}: CalendarParts): Router {
  const router = Router();
  const turns = createEventLoopYield();
  router.get('/calendar', requireAcceptable(), async (request, response) => {
    const current = site();
    const principal = principalOf(request);
    // A calendar costs as much as an ask.
    spendRate(principal);
    const wanted = destinationsOf(request, current);
    const ids = wanted.map(({ id }) => id);
    const { horizon } = current.offers;
    const pools = new Set(wanted.flatMap(({ results }) => results?.name ?? []));
    const [reading, used, held] = await Promise.all([
      readReserved(database, ids, requestedPart(request, horizon)),
      readResultsUse(database, [...pools]),
      readPools(database, personOf(current.quotas, principal)),
    ]);
    checkRange(reading, horizon);
    const { now, range, reserved } = reading;
    const mine = wantsOwn(request)
      ? await readOwn(database, ownerOf(principal), ids, reading, MOST_OWN)
      : undefined;
    const most = stepsEach(BOUNDS, wanted.length);
    const calendars: DestinationCalendar[] = [];
    for (const one of wanted) {
      const taken = reserved.get(one.id) ?? [];
      calendars.push(calendarOf(one, current.offers, taken, { now, range, most, used, mine }));
      await turns.next();
    }
    const { document, toYaml } = printCalendar(range, calendars, held);
    await turns.next();
    const digest = hash('sha256', JSON.stringify(document), 'base64url');
    requireDigest(request, digest);
    const tag = `W/${tagOf(request, digest)}`;
    response.set({ ETag: tag, 'Cache-Control': 'private, no-cache' }).vary('Accept');
    if (hasAlready(request, tag)) {
      giveBack(principal);
      response.status(304).end();
      return;
    }
    // The whole document is printed twice, 15 ms each for 10,000 steps.
    await turns.next();
    replyAs(request, response, { status: 200, document, problem: false, toYaml });
  });
  return router;
}
