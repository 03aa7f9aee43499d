import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { acceptOffer, rejectOffer } from '../../src/planner/record/update-offer.ts';
import type { NumberedProposal } from '../../src/planner/record/offer-ids.ts';
import { readResultsUse, writeResultPools } from '../../src/schedule/results.ts';
import { sweep, guard } from '../../src/sweeper/sweep.ts';
import type { OfferId } from '../../src/words/ids.ts';
import { mebibytes } from '../../src/words/units.ts';
import { TERMS, placeProposals, propose, writeSites, type Alternative } from '../harness/book.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';

const SIZE = 100;
type Wanted = Omit<Alternative, 'cores'> & { readonly results: number; readonly pool?: string };

let db: TestDatabase;
beforeAll(async () => {
  db = await openTestDatabase(20);
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.database.$executeRaw`TRUNCATE ask, result_use, oversell_trip CASCADE`;
  await writeSites(db.database, { a: 1000, b: 1000, own: 1000 });
  await db.database.$executeRaw`SELECT recount_live(array_agg(id)) FROM destination`;
  const site = { name: '*', size: mebibytes(SIZE) };
  await writeResultPools(
    db.database,
    new Map([
      ['a', site],
      ['b', site],
      ['own', { name: 'own', size: mebibytes(SIZE) }],
    ]),
  );
});

async function placed(...wanted: readonly Wanted[]): Promise<OfferId> {
  const [first] = (await place(...wanted)) ?? [];
  if (first === undefined) throw new Error('there was no room');
  return first;
}

/** @returns the ids of its offers, or undefined when there is no room */
function place(...wanted: readonly Wanted[]): Promise<readonly OfferId[] | undefined> {
  return placeProposals(db.database, wanted.map(proposalOf));
}

function proposalOf({ results, pool = '*', ...rest }: Wanted): NumberedProposal {
  const one = propose({ ...rest, cores: 1 });
  return { ...one, promised: { ...one.promised, results: mebibytes(results) }, resultPool: pool };
}

function accept(id: OfferId) {
  return acceptOffer(db.database, id, 'anonymous', TERMS);
}

async function begin(id: OfferId): Promise<void> {
  await db.database.$queryRaw`SELECT begin_job(${id}::uuid, 'e', 'h', interval '10 s')::text`;
  for (const state of ['RUNNING', 'RELEASING'])
    await db.database
      .$queryRaw`SELECT advance_job(${id}::uuid, 'e', ${state}::session_state)::text`;
}

function end(id: OfferId, bytes: number, code?: string) {
  return db.database.$queryRaw`
  SELECT finish_job(${id}::uuid, 'e', ${code === undefined ? 'COMPLETED' : 'FAILED'}::session_state,
    ${code === undefined ? null : JSON.stringify({ code })}::jsonb,
    ${JSON.stringify([{ id: 'x', place: 0, path: 'x', mimeType: 'text/plain', size: bytes }])}::jsonb)::text`;
}

async function destroy(id: OfferId): Promise<void> {
  await db.database.$queryRaw`SELECT destroy_job(${id}::uuid)::text`;
}

function forget(id: OfferId) {
  return db.database.$queryRaw`SELECT forget_job(${id}::uuid)::text`;
}

async function used(pool = '*') {
  return (await readResultsUse(db.database, [pool])).get(pool);
}

describe('results are in the book until they are removed', () => {
  test('an open answer holds as much as its largest offer, at any destination', async () => {
    await place({ destination: 'a', results: 30 }, { destination: 'b', results: 40 });
    expect(await used()).toEqual({ held: 40, kept: 0 });
    expect(await place({ destination: 'a', results: 61 })).toBeUndefined();
    expect(await place({ destination: 'b', results: 60 })).toBeDefined();
  });

  test("a destination with a pool of its own takes nothing of the site's", async () => {
    await place({ destination: 'own', results: 100, pool: 'own' });
    expect([await used(), await used('own')]).toEqual([
      { held: 0, kept: 0 },
      { held: 100, kept: 0 },
    ]);
    expect(await place({ destination: 'own', results: 1, pool: 'own' })).toBeUndefined();
    expect(await place({ destination: 'a', results: 100 })).toBeDefined();
  });

  test('what was rejected or expired is free again', async () => {
    const [first, second] = [
      await placed({ destination: 'a', results: 50 }),
      await placed({ destination: 'a', results: 50 }),
    ];
    await rejectOffer(db.database, first, 'anonymous');
    expect(await place({ destination: 'b', results: 50 })).toBeDefined();
    await db.database
      .$executeRaw`UPDATE offer SET expires_at = clock_timestamp() WHERE id = ${second}::uuid`;
    await db.database.$executeRaw`
        UPDATE reservation SET expires_at = clock_timestamp()
        WHERE ask_id = (SELECT ask_id FROM offer WHERE id = ${second}::uuid)`;
    expect(await place({ destination: 'b', results: 50 })).toBeDefined();
  });

  test('a job counts its promise while it runs, then its results until its files are gone', async () => {
    const id = await placed({ destination: 'a', results: 90 }, { destination: 'b', results: 95 });
    await accept(id);
    expect(await used()).toEqual({ held: 0, kept: 90 });
    await begin(id);
    expect(await place({ destination: 'b', results: 11 })).toBeUndefined();
    await end(id, 20 * 2 ** 20);
    expect(await used()).toEqual({ held: 0, kept: 21 });
    await destroy(id);
    expect(await used()).toEqual({ held: 0, kept: 21 });
    await forget(id);
    expect(await used()).toEqual({ held: 0, kept: 0 });
  });

  test('results count until the files are gone, even after their time and the purge', async () => {
    const id = await placed({ destination: 'a', results: 90 });
    await accept(id);
    await begin(id);
    await end(id, 60 * 2 ** 20);
    await db.database
      .$executeRaw`UPDATE job SET destruction_at = clock_timestamp() WHERE id = ${id}::uuid`;
    await sweep(db.database);
    expect(await used()).toEqual({ held: 0, kept: 61 });
    await db.database.$executeRaw`DELETE FROM ask`;
    expect(await used()).toEqual({ held: 0, kept: 61 });
    await forget(id);
    expect(await used()).toEqual({ held: 0, kept: 0 });
  });

  test('a job that never started counts nothing; a lost one still counts its promise', async () => {
    const [first, second] = [
      await placed({ destination: 'a', results: 40 }),
      await placed({ destination: 'a', results: 40 }),
    ];
    await accept(first);
    await accept(second);
    await db.database.$queryRaw`SELECT abort_job(${first}::uuid, '{}')::text`;
    await begin(second);
    await end(second, 0, 'run-lost');
    expect(await used()).toEqual({ held: 0, kept: 40 });
  });

  test('a job that left more keeps it while half of the pool is free for what is promised', async () => {
    const [first, second] = [
      await placed({ destination: 'a', results: 10 }),
      await placed({ destination: 'a', results: 10 }),
    ];
    for (const id of [first, second]) {
      await accept(id);
      await begin(id);
    }
    const grow = async (id: OfferId, mib: number) =>
      (
        await db.database.$queryRaw<
          { grown: boolean }[]
        >`SELECT grow_results(${id}::uuid, ${mib * 2 ** 20}::bigint) AS grown`
      )[0]?.grown;
    expect(await grow(first, 41)).toBe(false);
    expect(await grow(first, 40)).toBe(true);
    expect(await grow(first, 40)).toBe(true);
    expect(await grow(second, 11)).toBe(false);
    expect(await used()).toEqual({ held: 0, kept: 50 });
  });

  test('a pool that shrank below its use causes no finding, and gets no more offers', async () => {
    await place({ destination: 'a', results: 80 });
    await writeResultPools(db.database, new Map([['a', { name: '*', size: mebibytes(50) }]]));
    expect(await place({ destination: 'a', results: 1 })).toBeUndefined();
    expect(await guard(db.database)).toBe(0);
  });
});

describe('the second line of defence', () => {
  test('the sweepers find a pool that is used beyond its size', async () => {
    await db.database.$executeRaw`UPDATE result_pool SET shrunk_at = '-infinity'`;
    const id = await placed({ destination: 'a', results: 80 });
    await accept(id);
    await db.database.$executeRaw`UPDATE result_use SET bytes = ${101 * 2 ** 20}`;
    expect(await guard(db.database)).toBe(1);
  });
});

describe('pools of results', () => {
  test('are never exceeded by what is held and kept, whatever many clients do at once', async () => {
    const step = fc.record({
      results: fc.integer({ min: 1, max: 60 }),
      other: fc.integer({ min: 1, max: 60 }),
      next: fc.constantFrom('accept', 'reject', 'end', 'destroy', 'leave'),
      left: fc.integer({ min: 0, max: 60 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
        await Promise.all(
          steps.map(async ({ results, other, next, left }) => {
            const [id] =
              (await place({ destination: 'a', results }, { destination: 'b', results: other })) ??
              [];
            if (id === undefined || next === 'leave') return;
            if (next === 'reject') return void (await rejectOffer(db.database, id, 'anonymous'));
            await accept(id);
            if (next === 'accept') return;
            await begin(id);
            await end(id, Math.min(left, results) * 2 ** 20);
            if (next !== 'destroy') return;
            await destroy(id);
            await forget(id);
          }),
        );
        const [row] = await db.database.$queryRaw<{ used: number; live: number; trips: number }[]>`
        SELECT (u.held + u.kept)::float8 AS used, p.live_mib::float8 AS live, (SELECT count(*)
          FROM oversell_trip)::int AS trips FROM result_pool p, results_used('*', true) u
        WHERE p.name = '*'`;
        expect(row?.used).toBeLessThanOrEqual(SIZE);
        expect(row?.live).toBeGreaterThanOrEqual(row?.used ?? Infinity);
        expect(row?.trips).toBe(0);
        await db.database.$executeRaw`TRUNCATE ask, result_use CASCADE`;
        await db.database
          .$executeRaw`SELECT recount_results(ARRAY['*']), recount_live(array_agg(id)) FROM destination`;
      }),
      { numRuns: 25 },
    );
  });
});
