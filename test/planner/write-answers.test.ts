import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { parseOfferId } from '../../src/words/ids.ts';
import { pino } from 'pino';
import { placeAnswers, type PlacedAnswers } from '../../src/planner/record/write-answers.ts';
import { readKeptDecision } from '../harness/kept-decision.ts';
import type { AnswerPlacement } from '../../src/planner/record/answer-rows.ts';
import { createPlanner, type Planner } from '../../src/planner/planner.ts';
import { openSandbox } from '../../src/sandbox/open.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { readOutlook, writeCapacities } from '../../src/schedule/book.ts';
import type { Site } from '../../src/site/site.ts';
import { guard, sweep } from '../../src/sweeper/sweep.ts';
import { askFor, between, siteOf } from '../harness/asks.ts';
import { answerTo } from '../harness/converse.ts';
import {
  accept,
  peaks,
  placeOffers,
  placementOf,
  propose,
  writeSites,
  type Alternative,
} from '../harness/book.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';

function answerWith(...alternatives: readonly Alternative[]): AnswerPlacement {
  return placementOf(alternatives.map((one) => propose(one)));
}
const NONE = new Map();
function conflicts({ verdicts }: PlacedAnswers): readonly string[] {
  return [...verdicts].flatMap(([id, { kind }]) => (kind === 'conflict' ? [id] : []));
}

describe('writing answers', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await openTestDatabase(40);
    await writeSites(db.database, { a: 8, b: 8 });
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    await db.database.$executeRaw`TRUNCATE ask CASCADE`;
    await db.database.$executeRaw`TRUNCATE trace, oversell_trip`;
    await db.database.$executeRaw`SELECT recount_live(ARRAY['a', 'b'])`;
  });
  // The second line of defence stands behind every test.
  afterEach(async () => {
    if ((await guard(db.database)) > 0) throw new Error('a destination is oversold');
  });

  test('together gives each its own verdict: those that fit are written, the others leave nothing', async () => {
    const batch = [5, 5, 3, 1].map((cores) => answerWith({ destination: 'a', cores }));
    const refused = conflicts(await placeAnswers(db.database, batch, Date.now(), NONE));
    expect(batch.map(({ record }) => refused.includes(record.id))).toEqual([
      false,
      true,
      false,
      true,
    ]);
    expect(await db.database.ask.count()).toBe(2);
    expect((await peaks(db.database)).get('a')).toBe(8);
  });

  test('uses capacity to the last core at every instant: amounts at different times do not add up', async () => {
    const now = Date.now();
    const later = (hours: number): AnswerPlacement => ({
      ...answerWith(),
      proposals: [propose({ destination: 'a', cores: 8 }, now + hours * 3_600_000)],
    });
    for (let hour = 1; hour <= 5; hour += 1) {
      expect(conflicts(await placeAnswers(db.database, [later(hour)], now, NONE))).toEqual([]);
    }
    expect(conflicts(await placeAnswers(db.database, [later(3)], now, NONE)).length).toBe(1);
  });

  test('reports live use, never too low, and recounts when it seems too high', async () => {
    const ids = await placeOffers(db.database, [{ destination: 'a', cores: 4 }]);
    await placeOffers(db.database, [{ destination: 'a', cores: 2 }]);
    expect((await readOutlook(db.database)).live.get('a')?.cores).toBe(6000);
    await accept(db.database, ids?.[0] ?? fail());
    await db.database.$executeRaw`SELECT abort_job(${ids?.[0]}::uuid, NULL)`;
    expect((await readOutlook(db.database)).live.get('a')?.cores).toBe(6000);
    expect(await placeOffers(db.database, [{ destination: 'a', cores: 6 }])).toBeDefined();
    expect((await readOutlook(db.database)).live.get('a')?.cores).toBe(8000);
  });

  test('that were planned with a wrong clock is refused with the right time', async () => {
    for (const wrong of [-600_000, 600_000]) {
      const placement = answerWith({ destination: 'a', cores: 1 });
      const before = Date.now();
      const placed = await placeAnswers(db.database, [placement], before + wrong, NONE);
      expect(conflicts(placed)).toEqual([placement.record.id]);
      expect(placed.outlook.now).toBeGreaterThanOrEqual(before - 1);
      expect(placed.outlook.now).toBeLessThanOrEqual(Date.now() + 1);
    }
    expect(await db.database.ask.count()).toBe(0);
  });

  test('at a destination that the site file no longer names is a conflict', async () => {
    await writeSites(db.database, { b: 8 });
    expect(await placeOffers(db.database, [{ destination: 'a', cores: 1 }])).toBeUndefined();
    await writeSites(db.database, { a: 8, b: 8 });
  });

  test('keeps the steps of a decision once for all asks that share them', async () => {
    const [first, second] = [answerWith(), answerWith()];
    const steps = JSON.stringify([{ step: 'entity', id: 'a' }]);
    await placeAnswers(
      db.database,
      [first],
      Date.now(),
      new Map([[first.record.id, { key: 'k', steps }]]),
    );
    await placeAnswers(
      db.database,
      [second],
      Date.now(),
      new Map([[second.record.id, { key: 'k', steps: undefined }]]),
    );
    expect(await db.database.trace.count()).toBe(1);
    expect(await readKeptDecision(db.database, second.record.id)).toMatchObject({
      trace: [{ step: 'entity', id: 'a' }],
    });
  });

  test('by 32 at the same time never takes more than there is, and leaves nothing unused', async () => {
    const tries = Array.from({ length: 32 }, (_, n) =>
      placeAnswers(
        db.database,
        [
          answerWith({ destination: 'a', cores: 1 + (n % 3) }, { destination: 'b', cores: 1 }),
          answerWith({ destination: 'b', cores: 1 }),
        ],
        Date.now(),
        NONE,
      ),
    );
    await Promise.all(tries);
    const peak = await peaks(db.database);
    expect(peak.get('a')).toBeLessThanOrEqual(8);
    expect(peak.get('b')).toBe(8);
  });
});

function fail(): never {
  throw new Error('there is no such offer');
}

describe('the second line of defence', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await openTestDatabase(4);
  });
  afterAll(() => db.close());

  test('reports an oversold destination once, unless a smaller site file is the reason', async () => {
    await writeSites(db.database, { a: 8, b: 8 });
    await placeOffers(db.database, [{ destination: 'a', cores: 8 }]);
    await placeOffers(db.database, [{ destination: 'b', cores: 8 }]);
    expect(await guard(db.database)).toBe(0);
    await db.database.$transaction([
      db.database.$executeRaw`ALTER TABLE reservation DISABLE TRIGGER USER`,
      db.database.$executeRaw`UPDATE reservation SET cores = 9000 WHERE destination_id = 'a'`,
      db.database.$executeRaw`ALTER TABLE reservation ENABLE TRIGGER USER`,
    ]);
    expect([await guard(db.database), await guard(db.database)]).toEqual([1, 0]);
    expect(
      await db.database.oversellTrip.findMany({
        select: { destinationId: true, resource: true, used: true, has: true },
      }),
    ).toEqual([{ destinationId: 'a', resource: 'cores', used: 9000n, has: 8000n }]);
    await writeSites(db.database, { a: 8, b: 4 });
    expect(await guard(db.database)).toBe(0);
  });

  test('refuses and counts any reservation above capacity, even if nobody looked before', async () => {
    await writeSites(db.database, { d: 8, e: 8 });
    const offers = await placeOffers(db.database, [{ destination: 'd', cores: 6 }]);
    await accept(db.database, offers?.[0] ?? fail());
    const refused = async (): Promise<bigint> =>
      (
        await db.database.$queryRaw<
          { n: bigint }[]
        >`SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS n FROM oversell_refusal`
      )[0]?.n ?? 0n;
    const before = await refused();
    const insert = (state: string, cores: number, from: string, to: string): Promise<number> => db
      .database.$executeRaw`
      INSERT INTO reservation (ask_id, offer_id, destination_id, state, starts_at, ends_at,
        expires_at, cores, memory_mib, scratch_mib)
      SELECT ask_id, CASE ${state} WHEN 'FIRM' THEN offer_id END, destination_id,
        ${state}::reservation_state, now() + ${from}::interval, now() + ${to}::interval,
        CASE ${state} WHEN 'HELD' THEN 'infinity'::timestamptz END, ${cores}, 0, 0 FROM reservation
      WHERE destination_id = 'd' AND state = 'FIRM' LIMIT 1`;
    for (const state of ['HELD', 'FIRM'])
      await expect(insert(state, 2001, '0 s', '1 hour')).rejects.toThrow(
        'more would be reserved at d than there is',
      );
    // What is over, or of no account, is nobody's.
    await insert('RELEASED', 99_000, '0 s', '1 hour');
    await insert('HELD', 8000, '1 year', '1 year 1 hour');
    await insert('HELD', 2000, '0 s', '1 hour');
    for (const change of [
      'cores = cores + 1',
      `starts_at = now() + interval '1 year'`,
      `state = 'HELD', expires_at = 'infinity'`,
      `destination_id = 'e', cores = 8001`,
    ]) {
      const where = change.startsWith('state')
        ? `state = 'RELEASED'`
        : `state = 'HELD' AND cores = 2000`;
      await expect(
        db.database.$executeRawUnsafe(
          `
            UPDATE reservation
            SET ends_at = greatest(ends_at, now() + interval '1 year 30 minutes'), ${change}
            WHERE destination_id = 'd' AND ${where}`,
        ),
      ).rejects.toThrow(/more would be reserved at [de] than there is/);
    }
    expect(await refused()).toBe(before + 6n);
    expect((await peaks(db.database)).get('d')).toBe(8);
  });

  test('frees a backlog of expired holds in one sweep, whatever its length', async () => {
    await writeSites(db.database, { c: 8 });
    await db.database.$executeRaw`
      WITH fresh AS (SELECT gen_random_uuid() AS id FROM generate_series(1, 1200)),
      asks AS (INSERT INTO ask (id, owner, result, description, inputs, rules_digest, reasons)
        SELECT id, 'x', 'YES', '{}', '{}', '', '[]' FROM fresh)
      INSERT INTO reservation (ask_id, destination_id, state, starts_at, ends_at, expires_at, cores,
        memory_mib, scratch_mib)
      SELECT id, 'c', 'HELD', now(), now() + interval '1 hour', now() - interval '1 s', 1, 0, 0 FROM fresh`;
    expect((await sweep(db.database)).lapsed).toBeGreaterThanOrEqual(1200);
    expect((await peaks(db.database)).get('c')).toBeUndefined();
  });
});

describe('two planners on one database', () => {
  let db: TestDatabase;
  let sandbox: Sandbox;
  const site: Site = siteOf(
    {
      a: {},
      b: { cores: 4 },
      c: { maintenance: [{ start: '2020-01-01T00:00', duration: 'PT1H', rrule: 'FREQ=DAILY' }] },
    },
    { 'start-window': 'PT1M', release: 'PT1S' },
  );
  const planners: Planner[] = [];
  beforeAll(async () => {
    db = await openTestDatabase(20);
    await writeCapacities(
      db.database,
      new Map([...site.destinations].map(([id, { capacity }]) => [id, capacity])),
    );
    // A busy machine must not turn decisions of the book into time-outs of the rules.
    sandbox = openSandbox({ decisionMs: 20_000 });
    const report = await sandbox.load([
      {
        name: 'rules.yml',
        text: 'destinations: { a: { runner: process }, b: { runner: process }, c: { runner: process } }',
      },
    ]);
    if (report.kind !== 'loaded') throw new Error(JSON.stringify(report));
    const parts = {
      database: db.database,
      sandbox,
      site: () => site,
      log: pino({ level: 'silent' }),
      count: () => undefined,
      clock: Date.now,
    };
    planners.push(createPlanner(parts), createPlanner(parts));
  });
  afterAll(async () => {
    await sandbox.close();
    await db.close();
  });

  test('asked by 32 clients at once never oversell, and answer every ask with offers or reasons', async () => {
    const hour = 3_600_000;
    const start = Date.now();
    const verdicts: string[] = [];
    const clients = Array.from({ length: 32 }, async (_, client) => {
      for (let round = 0; round < 6; round += 1) {
        const from = start + ((client * 7 + round * 5) % 20) * hour;
        const windows =
          (client + round) % 4 === 0
            ? undefined
            : ([between(from, from + 2 * hour, 1800 + (client % 3) * 1800)] as const);
        const planner = planners[client % 2];
        const answer =
          planner &&
          (await answerTo(
            planner,
            db.database,
            askFor({ cores: 1 + ((client + round) % 4), maxCores: 4, ...(windows && { windows }) }),
          ));
        if (answer?.kind !== 'yes') {
          verdicts.push(
            answer?.kind === 'no' && answer.reasons.length > 0 ? 'NO with reasons' : 'no answer',
          );
          continue;
        }
        const id = parseOfferId(answer.offers[round % answer.offers.length]?.id ?? '');
        if (id === undefined) throw new Error('a YES without an offer');
        verdicts.push(round % 2 === 0 ? (await accept(db.database, id)).verdict : 'offered');
      }
    });
    await Promise.all(clients);
    expect(verdicts.length).toBe(32 * 6);
    expect(new Set(verdicts)).toEqual(new Set(['NO with reasons', 'accepted', 'offered']));
    const peak = await peaks(db.database);
    expect([
      (peak.get('a') ?? 0) <= 8,
      (peak.get('b') ?? 0) <= 4,
      (peak.get('c') ?? 0) <= 8,
    ]).toEqual([true, true, true]);
    expect(await guard(db.database)).toBe(0);
    const inMaintenance = await db.database.$queryRaw`
      SELECT 1 FROM reservation WHERE destination_id = 'c' AND state IN ('HELD', 'FIRM')
        AND tstzrange(starts_at, ends_at) && tstzrange(date_trunc('day', now(), 'UTC') + interval
          '1 day', date_trunc('day', now(), 'UTC') + interval '25 hours')`;
    expect(inMaintenance).toEqual([]);
  });
});
