import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createPurge, writeRecordTerms, type Purged } from '../../src/sweeper/purge.ts';
import type { OfferId } from '../../src/words/ids.ts';
import { accept, placeOffers, writeSites } from '../harness/book.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';

const DAY_S = 86_400;

describe('the purge', () => {
  let db: TestDatabase;
  beforeEach(async () => {
    db = await openTestDatabase();
    await writeSites(db.database, { here: 1000 });
  });
  afterEach(() => db.close());

  const purge = (): Promise<Purged> => createPurge(db.database, () => performance.now()).run();
  const nos = async (count: number, ageS: number): Promise<void> =>
    void (await db.database.$executeRaw`
    INSERT INTO ask (id, owner, result, created_at, inputs, rules_digest, trace_key, description, reasons)
    SELECT gen_random_uuid(), 'anonymous', 'NO',
      clock_timestamp() - make_interval(secs => ${ageS}) - g * interval '1 us', '{}', 'rules',
      'steps', '{}', '[]'
    FROM generate_series(1, ${count}::int) g`);
  const yes = async (ageS: number): Promise<OfferId> => {
    const [id] = (await placeOffers(db.database, [{ destination: 'here', cores: 1 }])) ?? [];
    if (id === undefined) throw new Error('no offer');
    await db.database.$executeRaw`
        UPDATE ask SET created_at = created_at - make_interval(secs => ${ageS})
        WHERE id = (SELECT ask_id FROM offer WHERE id = ${id}::uuid)`;
    return id;
  };
  const lapse = (): Promise<unknown> =>
    db.database.$transaction([
      db.database
        .$executeRaw`UPDATE reservation SET expires_at = clock_timestamp() WHERE state = 'HELD'`,
      db.database.$queryRaw`SELECT lapse_due(NULL, 1000)`,
    ]);
  const left = async (): Promise<Readonly<Record<string, number>>> => ({
    asks: await db.database.ask.count(),
    offers: await db.database.offer.count(),
    reservations: await db.database.reservation.count(),
    jobs: await db.database.job.count(),
  });

  test('removes every NO that is older than a day, however many there are, and none that is younger', async () => {
    await nos(2750, 2 * DAY_S);
    await nos(3, DAY_S - 60);
    expect(await purge()).toMatchObject({ refusals: 2750, offers: 0 });
    expect(await left()).toMatchObject({ asks: 3 });
    expect(await db.database.purged.findMany()).toEqual([{ kind: 'refusals', records: 2750n }]);
  });

  test('keeps an answer as long as the site file says', async () => {
    await nos(1, 2 * DAY_S);
    await yes(2 * DAY_S);
    await lapse();
    await writeRecordTerms(db.database, {
      refusals: 3 * DAY_S,
      offers: 3 * DAY_S,
      jobs: 30 * DAY_S,
    });
    expect(await purge()).toMatchObject({ refusals: 0, offers: 0 });
    await writeRecordTerms(db.database, { refusals: DAY_S, offers: DAY_S, jobs: 30 * DAY_S });
    expect(await purge()).toMatchObject({ refusals: 1, offers: 1 });
  });

  test('removes a YES without an accept after a week, with its offers and all that it held', async () => {
    await yes(8 * DAY_S);
    await yes(6 * DAY_S);
    await lapse();
    expect(await purge()).toMatchObject({ offers: 1 });
    expect(await left()).toEqual({ asks: 1, offers: 1, reservations: 1, jobs: 0 });
  });

  test('leaves what still holds capacity, however old it is', async () => {
    await yes(100 * DAY_S);
    expect(await purge()).toMatchObject({ offers: 0 });
    expect(await left()).toMatchObject({ offers: 1, reservations: 1 });
  });

  test('keeps the ask of a job as long as the job, and the use of a destroyed one as long as quotas do', async () => {
    const [kept, gone, destroyed] = [
      await yes(100 * DAY_S),
      await yes(100 * DAY_S),
      await yes(100 * DAY_S),
    ];
    for (const id of [kept, gone, destroyed]) {
      await accept(db.database, id);
      await db.database.$queryRaw`SELECT abort_job(${id}::uuid, '{}'::jsonb)`;
    }
    await db.database.$executeRaw`UPDATE reservation SET ends_at = starts_at + interval '1 second'`;
    await db.database
      .$executeRaw`UPDATE job SET archived_at = clock_timestamp() - interval '29 days' WHERE id = ${kept}::uuid`;
    await db.database
      .$executeRaw`UPDATE job SET archived_at = clock_timestamp() - interval '31 days' WHERE id = ${gone}::uuid`;
    await db.database.$executeRaw`
        UPDATE reservation SET starts_at = starts_at - interval '40 days',
          ends_at = ends_at - interval '40 days' WHERE offer_id IN (${kept}::uuid, ${gone}::uuid)`;
    await db.database
      .$executeRaw`UPDATE job SET destroyed_at = clock_timestamp() WHERE id = ${destroyed}::uuid`;
    await db.database.$queryRaw`SELECT forget_job(${destroyed}::uuid)`;
    expect(await purge()).toMatchObject({ offers: 1 });
    expect(
      (await db.database.offer.findMany({ select: { id: true } })).map(({ id }) => id).sort(),
    ).toEqual([kept, destroyed].sort());
  });

  test('skips a thousand jobs that are kept to reach what it can remove', async () => {
    await db.database.$executeRaw`
      WITH fresh AS MATERIALIZED (SELECT gen_random_uuid() AS id, gen_random_uuid() AS offer
        FROM generate_series(1, 1200)),
      asks AS (INSERT INTO ask (id, owner, created_at, result, description, inputs, rules_digest,
        reasons) SELECT id, 'x', now() - interval '50 days', 'YES', '{}', '{}', '', '[]'
        FROM fresh),
      offers AS (INSERT INTO offer (id, ask_id, place, owner, state, destination_id, runner,
        expires_at, promise, cores, memory_mib, scratch_mib, starts_at, duration_s, start_window_s,
        release_s)
        SELECT offer, id, 0, 'x', 'RUNNING', 'here', 'process', now(), '{}', 1, 1, 1, now(), 60, 1, 1 FROM fresh)
      INSERT INTO job (id, owner, start_mode, start_before, execution_s, destruction_at)
        SELECT offer, 'x', 'AUTO', now(), 60, now() + interval '1 day' FROM fresh`;
    await yes(40 * DAY_S);
    await lapse();
    expect(await purge()).toMatchObject({ offers: 1 });
    expect(await left()).toMatchObject({ asks: 1200, jobs: 1200 });
  });

  test("removes the steps that no ask has, and keeps those of a job's ask and of its rules", async () => {
    const id = await yes(100 * DAY_S);
    const { askId } = await db.database.offer.findUniqueOrThrow({
      where: { id },
      select: { askId: true },
    });
    await db.database.ask.update({
      where: { id: askId },
      data: { traceKey: 'used', rulesDigest: 'in-force' },
    });
    await db.database.trace.createMany({
      data: ['used', 'unused', 'rules in-force', 'rules gone', 'young'].map((key) => ({
        key,
        steps: [],
        usedAt: new Date(Date.now() - (key === 'young' ? 1 : 30) * DAY_S * 1000),
      })),
    });
    expect(await purge()).toMatchObject({ traces: 2 });
    expect((await db.database.trace.findMany()).map(({ key }) => key).sort()).toEqual([
      'rules in-force',
      'used',
      'young',
    ]);
  });

  test('by several services does nothing twice, and leaves nothing', async () => {
    await nos(1500, 2 * DAY_S);
    for (let round = 0; (await db.database.ask.count()) > 0 && round < 100; round += 1)
      await Promise.all([purge(), purge(), purge()]);
    expect(await db.database.purged.findMany()).toEqual([{ kind: 'refusals', records: 1500n }]);
  });

  test('removes forecasts a day after they end, and findings of too much use after a year', async () => {
    await db.database
      .$executeRaw`INSERT INTO forecast (destination_id, place, cores, memory_mib, duration_s, starts_at, valid_until)
      SELECT 'here', g, 1, 1, 1, now(), now() - g * interval '20 hours' FROM generate_series(1, 2) g`;
    await db.database
      .$executeRaw`INSERT INTO oversell_trip (destination_id, resource, used, has, found_at)
      SELECT 'here', 'cores', 2, 1, now() - g * interval '300 days' FROM generate_series(1, 2) g`;
    expect(await purge()).toMatchObject({ findings: 2 });
    expect([await db.database.forecast.count(), await db.database.oversellTrip.count()]).toEqual([
      1, 1,
    ]);
  });
});

describe('the asks of a pass', () => {
  test('are found by an index, in the order of their age: only rows to be removed are read', async () => {
    const db = await openTestDatabase();
    await db.database
      .$executeRaw`INSERT INTO ask (id, owner, result, created_at, inputs, rules_digest, description, reasons)
      SELECT gen_random_uuid(), 'x', CASE WHEN g % 2 = 0 THEN 'YES' ELSE 'NO' END,
        now() - g * interval '1 minute', '{}', '', '{}', '[]' FROM generate_series(1, 20000) g`;
    await db.database.$executeRaw`ANALYZE ask`;
    for (const result of ['YES', 'NO']) {
      const plan = await db.database.$queryRawUnsafe(`
          EXPLAIN (FORMAT JSON) SELECT id FROM ask WHERE result = '${result}'
          AND (created_at, id) > ('-infinity', '00000000-0000-0000-0000-000000000000')
        AND created_at < now() - interval '1 day' ORDER BY created_at, id LIMIT 500`);
      expect(JSON.stringify(plan)).toContain(result === 'YES' ? 'ask_yes' : 'ask_no');
      expect(JSON.stringify(plan)).not.toMatch(/Sort|Seq Scan/);
    }
    await db.close();
  });
});
