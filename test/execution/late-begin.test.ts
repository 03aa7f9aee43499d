import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createClaims } from '../../src/executor/claims.ts';
import { writeClosures } from '../../src/schedule/closures.ts';
import { closedAhead } from '../../src/site/closed.ts';
import type { PromisedStorage } from '../../src/planner/offer.ts';
import { writeStores } from '../../src/schedule/stores.ts';
import { parseObjectId, type OfferId } from '../../src/words/ids.ts';
import { mebibytes, seconds } from '../../src/words/units.ts';
import {
  accept,
  placeOffers,
  placeProposals,
  propose,
  TERMS,
  writeSites,
} from '../harness/book.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';
import { siteOf } from '../harness/asks.ts';

const MINUTE = 60_000;
function iso(at: number): string {
  return new Date(at).toISOString();
}

describe('a job of ten minutes whose destination is away in five', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await openTestDatabase();
    await writeSites(db.database, { here: 100, there: 100 });
  });
  afterAll(() => db.close());

  const accepted = async (cores: number): Promise<OfferId> => {
    const [id] = (await placeOffers(db.database, [{ destination: 'here', cores }])) ?? [];
    if (id === undefined) throw new Error('no offer');
    await accept(db.database, id);
    return id;
  };
  /** The executors were away for two hours. */
  const late = async (cores: number): Promise<OfferId> => {
    const id = await accepted(cores);
    await db.database.$executeRaw`
        UPDATE reservation SET starts_at = starts_at - interval '2 hours',
          ends_at = ends_at - interval '2 hours' WHERE offer_id = ${id}::uuid`;
    await db.database
      .$executeRaw`UPDATE offer SET starts_at = starts_at - interval '2 hours' WHERE id = ${id}::uuid`;
    return id;
  };
  const begin = async (id: OfferId, maintenance: object, destination = 'here'): Promise<string> => {
    const site = siteOf({
      [destination]: {
        cores: 100,
        maintenance: [
          {
            start: iso(Date.now() + 5 * MINUTE),
            duration: 'PT1H',
            reason: 'new discs',
            ...maintenance,
          },
        ],
      },
    });
    await writeClosures(db.database, closedAhead(site, Date.now()));
    const claims = createClaims(db.database, {
      executor: 'here:1:x',
      home: { host: 'here' },
      leaseSeconds: 60,
    });
    const { job, verdict } = await claims.take(id, false);
    if (job !== null) expect(job).toBe(id);
    return verdict;
  };

  test('waits until that is over, when it is started later than it was reserved for', async () => {
    const id = await late(1);
    expect(await begin(id, {})).toBe('crowded');
    expect(await begin(id, { start: iso(Date.now() - 5 * MINUTE) })).toBe('crowded');
    expect(await begin(id, { start: iso(Date.now() - 61 * MINUTE) })).toBe('begin');
  });

  test('runs at its own time when it was planned around that', async () => {
    expect(await begin(await accepted(1), {})).toBe('begin');
  });

  test('runs beside it when enough of the destination stays, and when it is another destination', async () => {
    const large = await late(40);
    expect(await begin(large, { cores: 99 })).toBe('crowded');
    await db.database.$executeRaw`SELECT abort_job(${large}::uuid, NULL)`;
    expect(await begin(await late(20), { cores: 10 })).toBe('begin');
    expect(await begin(await late(1), {}, 'there')).toBe('begin');
  });

  test('keeps its results no longer for having been put back twenty times', async () => {
    const id = await late(1);
    const claims = createClaims(db.database, {
      executor: 'here:1:x',
      home: { host: 'here' },
      leaseSeconds: 60,
    });
    await writeClosures(db.database, []);
    const ends: Date[] = [];
    for (let attempt = 1; attempt <= 20; attempt += 1) {
      expect((await claims.take(id, false)).verdict).toBe('begin');
      ends.push((await db.database.job.findUniqueOrThrow({ where: { id } })).destructionAt);
      expect(await claims.putBack({ id, attempt }, 0)).toBe(true);
    }
    const [first, last] = [ends.at(0)?.getTime() ?? NaN, ends.at(-1)?.getTime() ?? NaN];
    expect((last - first) / MINUTE).toBeLessThan(5);
    expect(first).toBeGreaterThan(Date.now() + TERMS.keepResults * 1000);
  });
});

describe('a destination that has become smaller than what it promised', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await openTestDatabase();
    await writeSites(db.database, { here: 8 });
  });
  afterAll(() => db.close());

  test('places late jobs beside what a larger one has, and goes on answering asks', async () => {
    const accepted = async (cores: number, duration: number): Promise<OfferId> => {
      const [id] =
        (await placeOffers(db.database, [{ destination: 'here', cores, duration }])) ?? [];
      if (id === undefined) throw new Error('no offer');
      await accept(db.database, id);
      return id;
    };
    const large = await accepted(6, 6000);
    const late = await accepted(2, 5);
    await db.database.$executeRaw`
      UPDATE reservation SET starts_at = starts_at - interval '80 s', ends_at = ends_at - interval '80 s'
      WHERE offer_id = ${late}::uuid`;
    await writeSites(db.database, { here: 4 });
    await db.database.$executeRaw`SELECT keep_all_claims()`;
    const claims = await db.database.reservation.findMany({
      where: { state: 'FIRM' },
      orderBy: { cores: 'desc' },
    });
    expect(claims.map(({ offerId }) => offerId)).toEqual([large, late]);
    const [before, after] = claims.map(({ startsAt, endsAt }) => ({ startsAt, endsAt }));
    expect(after?.startsAt).toEqual(before?.endsAt);
    // No room, and no error.
    expect(await placeOffers(db.database, [{ destination: 'here', cores: 1 }])).toBeUndefined();
    const executor = createClaims(db.database, {
      executor: 'here:1:x',
      home: { host: 'here' },
      leaseSeconds: 60,
    });
    expect(await executor.take(late, false)).toMatchObject({ job: large, verdict: 'begin' });
  });
});

test('a job whose GPUs are gone waits for them, and begins when they are back', async () => {
  const db = await openTestDatabase();
  const plain = propose({ destination: 'here', cores: 1 });
  const gpus = { type: 'urn:gpu', count: 2 };
  await writeSites(db.database, { here: 8 });
  const [id] =
    (await placeProposals(db.database, [{ ...plain, amount: { ...plain.amount, gpus } }])) ?? [];
  if (id === undefined) throw new Error('no offer');
  await accept(db.database, id);
  const executor = createClaims(db.database, {
    executor: 'here:1:x',
    home: { host: 'here' },
    leaseSeconds: 60,
  });
  for (const left of ['{}', '{"urn:gpu": 1}']) {
    await db.database.$executeRaw`UPDATE destination SET gpus = ${left}::jsonb`;
    expect(await executor.take(id, false)).toMatchObject({ job: null, verdict: 'crowded' });
  }
  await writeSites(db.database, { here: 8 });
  expect(await executor.take(id, false)).toMatchObject({ job: id, verdict: 'begin' });
  await db.close();
});

describe('a new volume of a job that begins two days late', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await openTestDatabase();
    await writeSites(db.database, { here: 8 });
    await writeStores(db.database, new Map([['attic', mebibytes(20)]]));
  });
  afterAll(() => db.close());

  /** A day of so many MiB after a run of ten minutes. */
  const stored = async (size: number): Promise<OfferId> => {
    const plain = propose({ destination: 'here', cores: 1 });
    const object = parseObjectId(randomUUID());
    if (object === undefined) throw new Error('not a UUID');
    const volume: PromisedStorage = {
      kind: 'managed',
      name: 'out',
      object,
      backend: 'attic',
      type: 'urn:directory',
      endpoint: undefined,
      size: mebibytes(size),
      lifetime: seconds(86_400),
    };
    const [id] =
      (await placeProposals(db.database, [
        { ...plain, promised: { ...plain.promised, storage: [volume] } },
      ])) ?? [];
    if (id === undefined) throw new Error('no offer');
    await accept(db.database, id);
    return id;
  };
  /** Hours that the volume of a job is kept, from now on. */
  const kept = async (id: OfferId): Promise<number> => {
    const [row] = await db.database.$queryRaw<{ hours: number }[]>`
      SELECT extract(epoch FROM ends_at - clock_timestamp())::float8 / 3600 AS hours
      FROM storage_reservation WHERE offer_id = ${id}::uuid`;
    return Math.round(row?.hours ?? NaN);
  };
  const beginLate = async (id: OfferId): Promise<void> => {
    for (const table of ['reservation', 'storage_reservation'])
      await db.database.$executeRawUnsafe(
        `UPDATE ${table} SET starts_at = starts_at - interval '2 days', ends_at = ends_at - interval '2 days'
         WHERE offer_id = '${id}'`,
      );
    await db.database
      .$executeRaw`UPDATE offer SET starts_at = starts_at - interval '2 days' WHERE id = ${id}::uuid`;
    const executor = createClaims(db.database, {
      executor: 'here:1:x',
      home: { host: 'here' },
      leaseSeconds: 60,
    });
    expect(await executor.take(id, false)).toMatchObject({ job: id, verdict: 'begin' });
  };

  test('is kept for its lifetime after the run, if its store has room', async () => {
    const [first, second] = [await stored(15), await stored(5)];
    expect([await kept(first), await kept(second)]).toEqual([24, 24]);
    await beginLate(first);
    expect(await kept(first)).toBe(24);
    await writeStores(db.database, new Map([['attic', mebibytes(18)]]));
    await beginLate(second);
    expect(await kept(second)).toBe(-24);
  });

  test('is kept until others come for whom there was room, if not for its whole lifetime', async () => {
    await writeStores(db.database, new Map([['attic', mebibytes(39)]]));
    const third = await stored(19);
    await db.database.$executeRaw`
      INSERT INTO storage_reservation (ask_id, owner, store, state, starts_at, ends_at, size_mib)
      SELECT ask_id, owner, store, 'HELD', clock_timestamp() + interval '10 hours',
        clock_timestamp() + interval '9 days', 6
      FROM storage_reservation WHERE offer_id = ${third}::uuid`;
    await db.database.$executeRaw`
      UPDATE storage_reservation SET size_mib = 20 WHERE offer_id = ${third}::uuid`;
    await beginLate(third);
    expect(await kept(third)).toBe(10);
  });
});
