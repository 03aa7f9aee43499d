import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Database } from '../../src/db/client.ts';
import { rejectOffer } from '../../src/planner/record/update-offer.ts';
import { guard, sweep } from '../../src/sweeper/sweep.ts';
import { createClaims } from '../../src/executor/claims.ts';
import type { ClaimedAttempt } from '../../src/executor/claims/attempts.ts';
import type { OfferId } from '../../src/words/ids.ts';
import { accept, peaks, placeOffers, writeSites, type Alternative } from '../harness/book.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';
import { runs } from '../harness/runs.ts';

const CAPACITY = { a: 6, b: 4 };

/** An act of a client or of a part of the service; offers are picked by number. */
type Act =
  | { readonly kind: 'ask'; readonly alternatives: readonly Alternative[] }
  | { readonly kind: 'sweep' }
  | Picked;
type Picked = {
  readonly kind: 'accept' | 'reject' | 'expire' | 'begin' | 'finish' | 'abort';
  readonly pick: number;
};

const alternative = fc.record({
  destination: fc.constantFrom('a', 'b'),
  cores: fc.integer({ min: 1, max: 5 }),
  startsIn: fc.constantFrom(0, 0, 0, 500, 1500, 4000),
  duration: fc.constantFrom(300, 1200),
  prepare: fc.constantFrom(0, 0, 200),
});
const picked = fc.record({
  kind: fc.constantFrom(
    'accept',
    'accept',
    'accept',
    'reject',
    'expire',
    'begin',
    'finish',
    'abort',
  ),
  pick: fc.nat(50),
});
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('ask'),
      alternatives: fc.array(alternative, { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 6, arbitrary: picked },
  { weight: 1, arbitrary: fc.constant({ kind: 'sweep' }) },
);

async function perform(database: Database, one: Act, made: OfferId[]): Promise<void> {
  if (one.kind === 'ask') {
    made.push(...((await placeOffers(database, one.alternatives)) ?? []));
    return;
  }
  if (one.kind === 'sweep') return void (await sweep(database));
  const id = made[one.pick % Math.max(1, made.length)];
  if (id !== undefined) await performOn(database, one.kind, id);
}

async function performOn(database: Database, kind: Picked['kind'], id: OfferId): Promise<void> {
  const claims = createClaims(database, {
    executor: 'here:1:x',
    home: { host: 'here' },
    leaseSeconds: 60,
  });
  const claimed = async (job: OfferId): Promise<ClaimedAttempt> =>
    (await claims.read(job)) ?? { id: job, attempt: 0 };
  switch (kind) {
    case 'accept':
      return void (await accept(database, id));
    case 'reject':
      return void (await rejectOffer(database, id, 'anonymous'));
    case 'expire':
      // Time passes for one answer: all its offers and holds lapse together, as by the clock.
      return void (await database.$transaction([
        database.$queryRaw`SELECT 1 FROM ask WHERE id = (SELECT ask_id FROM offer WHERE id = ${id}::uuid) FOR UPDATE`,
        database.$executeRaw`
          UPDATE offer SET expires_at = clock_timestamp() WHERE ask_id = (SELECT ask_id FROM offer
            WHERE id = ${id}::uuid)`,
        database.$executeRaw`
          UPDATE reservation SET expires_at = clock_timestamp() WHERE state = 'HELD'
          AND ask_id = (SELECT ask_id FROM offer WHERE id = ${id}::uuid)`,
      ]));
    case 'begin': {
      const { job, verdict } = await claims.take(id, false);
      if (verdict === 'begin') await claims.advance(await claimed(job), 'RUNNING');
      return;
    }
    case 'finish':
      if (await claims.advance(await claimed(id), 'RELEASING').catch(() => false))
        await claims.finish(await claimed(id), { state: 'COMPLETED', fault: null }, []);
      return;
    case 'abort':
      return void (await database.$executeRaw`
        SELECT abort_job(${id}::uuid, NULL) WHERE EXISTS (SELECT 1 FROM job
          WHERE id = ${id}::uuid)`);
    default:
      return kind satisfies never;
  }
}

/** Violations of the book, each found by a query. */
async function violations(database: Database): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [id, cores] of await peaks(database)) {
    if (cores > CAPACITY[id === 'a' ? 'a' : 'b']) found.push(`${id} is oversold: ${cores}`);
  }
  const count = async (what: string, rows: Promise<{ n: number }[]>): Promise<void> => {
    const [row] = await rows;
    if ((row?.n ?? 0) > 0) found.push(`${row?.n} ${what}`);
  };
  await count(
    'asks with two winners',
    database.$queryRaw`SELECT count(*)::int AS n FROM (SELECT ask_id FROM offer
    WHERE state NOT IN ('OFFERED', 'REJECTED', 'EXPIRED') GROUP BY ask_id HAVING count(*) > 1) AS x`,
  );
  await count(
    'winners without exactly one job',
    database.$queryRaw`SELECT count(*)::int AS n FROM offer o LEFT JOIN job j ON j.id = o.id
    WHERE (o.state NOT IN ('OFFERED', 'REJECTED', 'EXPIRED')) <> (j.id IS NOT NULL)`,
  );
  await count(
    'jobs under way without a firm reservation',
    database.$queryRaw`SELECT count(*)::int AS n FROM offer o JOIN job j ON j.id = o.id
    WHERE j.ended_at IS NULL AND NOT EXISTS (SELECT 1 FROM reservation r WHERE r.offer_id = o.id
      AND r.state = 'FIRM' AND r.cores = o.cores)`,
  );
  await count(
    'ended jobs that still hold capacity',
    database.$queryRaw`SELECT count(*)::int AS n FROM job j JOIN reservation r ON r.offer_id = j.id
    WHERE j.ended_at IS NOT NULL AND r.state = 'FIRM'`,
  );
  await count(
    'holds of answers that have no open offer',
    database.$queryRaw`SELECT count(*)::int AS n FROM reservation r
    WHERE r.state = 'HELD' AND NOT EXISTS (SELECT 1 FROM offer o WHERE o.ask_id = r.ask_id AND o.state = 'OFFERED')`,
  );
  if ((await guard(database)) > 0)
    found.push('the second line of defence found an oversold destination');
  return found;
}

describe('whatever clients and the service do at the same time', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await openTestDatabase(16);
    await writeSites(db.database, CAPACITY);
  });
  afterAll(() => db.close());

  test('no destination is ever above capacity, and no answer has two winners', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(act, { minLength: 1, maxLength: 12 }), { minLength: 2, maxLength: 8 }),
        async (clients) => {
          await db.database.$executeRaw`TRUNCATE ask CASCADE`;
          const made: OfferId[] = [];
          // All end before the next run begins, even if one of them finds a violation.
          const ends = await Promise.allSettled(
            clients.map(async (acts) => {
              for (const one of acts) {
                await perform(db.database, one, made);
                expect(await violations(db.database)).toEqual([]);
              }
            }),
          );
          for (const end of ends) if (end.status === 'rejected') throw end.reason;
        },
      ),
      { numRuns: runs(20) },
    );
  });

  test('capacity that was freed is offered again', async () => {
    await db.database.$executeRaw`TRUNCATE ask CASCADE`;
    for (let round = 0; round < 5; round += 1) {
      const [id] = (await placeOffers(db.database, [{ destination: 'a', cores: 6 }])) ?? [];
      expect(id).toBeDefined();
      if (id === undefined) return;
      await accept(db.database, id);
      await db.database.$executeRaw`SELECT abort_job(${id}::uuid, NULL)`;
    }
  });
});
