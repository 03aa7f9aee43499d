import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createClaims, type Claims } from '../../src/executor/claims.ts';
import type { ClaimedAttempt } from '../../src/executor/claims/attempts.ts';
import { guard, sweep } from '../../src/sweeper/sweep.ts';
import type { OfferId } from '../../src/words/ids.ts';
import { accept, peaks, placeOffers, writeSites } from '../harness/book.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';

const CAPACITY = 6;
const S = 1000;
/** Time passes between two reads of the book, more on a busy machine. */
const SLOP = 5 * S;
/**
 * A claim for now with less time than this behind it may move between two reads, and those behind
 * it with it.
 */
const ROOMY = 10 * S;

/** An act at a destination; executors only work in `work`. */
type Act =
  | {
      readonly kind: 'ask';
      readonly cores: number;
      readonly startsIn: number;
      readonly duration: number;
      readonly isAccepted: boolean;
    }
  | { readonly kind: 'pass'; readonly seconds: number }
  | { readonly kind: 'work' }
  | { readonly kind: 'end' | 'abort'; readonly pick: number };

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('ask'),
      cores: fc.integer({ min: 1, max: CAPACITY }),
      startsIn: fc.constantFrom(0, 0, 0, 300, 900, 2000),
      duration: fc.constantFrom(60, 300, 600, 1200),
      isAccepted: fc.constantFrom(true, true, true, false),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('pass'),
      seconds: fc.constantFrom(20, 100, 400, 1000, 3000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('work') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('end', 'abort'), pick: fc.nat(20) }) },
);

/**
 * A live reservation; `due`: its job waits after its time, `ahead`: its time has not come. Times in
 * ms.
 */
type Row = {
  readonly id: OfferId | null;
  readonly kind: 'held' | 'due' | 'ahead' | 'begun';
  readonly accepted: number;
  readonly offered: number;
  readonly starts: number;
  readonly ends: number;
  readonly cores: number;
  readonly run: number;
};
type Book = { readonly now: number; readonly rows: readonly Row[] };
const ROWS = `
  SELECT r.offer_id AS id, ${ms('coalesce(o.decided_at, now())')} AS accepted,
    ${ms('coalesce(o.starts_at, now())')} AS offered, ${ms('r.starts_at')} AS starts,
    ${ms('r.ends_at')} AS ends, r.cores::float8 / 1000 AS cores, (j.execution_s + o.release_s)::float8 * 1000 AS run,
    CASE WHEN r.state = 'HELD' THEN 'held' WHEN o.state NOT IN ('ACCEPTED', 'WAITING') THEN 'begun'
      WHEN o.starts_at <= now() THEN 'due' ELSE 'ahead' END AS kind
  FROM reservation r LEFT JOIN offer o ON o.id = r.offer_id LEFT JOIN job j ON j.id = o.id
  WHERE r.state IN ('HELD', 'FIRM') ORDER BY o.decided_at`;

async function read({ database }: TestDatabase): Promise<Book> {
  const [clock, rows] = await database.$transaction([
    database.$queryRawUnsafe<{ now: number }[]>(`SELECT ${ms('now()')} AS now`),
    database.$queryRawUnsafe<Row[]>(ROWS),
  ]);
  return { now: clock[0]?.now ?? Number.NaN, rows };
}

function ms(column: string): string {
  return `(extract(epoch FROM ${column}) * 1000)::float8`;
}

/**
 * Earlier accepted jobs that wait although they had room: they would have fit from `from` on,
 * beside the reservations that they may not pass.
 */
function passedOver(id: OfferId, before: Book, after: Book): readonly Row[] {
  const begun = before.rows.find((row) => row.id === id);
  if (begun === undefined) throw new Error('what began was not in the book');
  return after.rows
    .filter(({ kind, accepted }) => kind === 'due' && accepted < begun.accepted)
    .filter((row) => {
      const others = after.rows.filter(
        (other) =>
          other.id !== id &&
          other !== row &&
          !(other.kind === 'due' && other.accepted > row.accepted),
      );
      return (
        mostTaken(others, before.now - SLOP, after.now + row.run + SLOP) + row.cores <= CAPACITY
      );
    });
}

/** The most cores taken at any instant of an interval. */
function mostTaken(rows: readonly Row[], from: number, until: number): number {
  const live = rows.filter(({ starts, ends }) => starts < until && ends > from);
  return Math.max(
    0,
    ...live
      .map(({ starts }) => Math.max(starts, from))
      .map((at) =>
        live.reduce((sum, row) => (row.starts <= at && at < row.ends ? sum + row.cores : sum), 0),
      ),
  );
}

describe('a destination whose executors are away from time to time', () => {
  let db: TestDatabase;
  let claims: Claims;
  beforeAll(async () => {
    db = await openTestDatabase();
    claims = createClaims(db.database, {
      executor: 'here:1:x',
      home: { host: 'here' },
      leaseSeconds: 60,
    });
  });
  afterAll(() => db.close());

  /** Moves the whole book this much into the past. */
  const pass = async (seconds: number): Promise<void> => {
    const { database } = db;
    await database.$transaction([
      database.$executeRaw`
        UPDATE offer SET starts_at = starts_at - make_interval(secs => ${seconds}),
          decided_at = decided_at - make_interval(secs => ${seconds}),
          expires_at = expires_at - make_interval(secs => ${seconds})`,
      database.$executeRaw`
        UPDATE reservation SET starts_at = starts_at - make_interval(secs => ${seconds}),
          ends_at = ends_at - make_interval(secs => ${seconds}),
          expires_at = expires_at - make_interval(secs => ${seconds})`,
      database.$executeRaw`
        UPDATE job SET created_at = created_at - make_interval(secs => ${seconds}),
          claim_at = claim_at - make_interval(secs => ${seconds})`,
    ]);
    await sweep(database);
  };

  const claimed = async (id: OfferId): Promise<ClaimedAttempt> =>
    (await claims.read(id)) ?? { id, attempt: 0 };

  const begin = async (): Promise<boolean> => {
    const before = await read(db);
    const { job, verdict } = await claims.next('here');
    if (job === null) {
      expect(verdict).toBe(
        (await read(db)).rows.some(({ kind }) => kind === 'due') ? 'crowded' : 'none',
      );
      return false;
    }
    expect(passedOver(job, before, await read(db))).toEqual([]);
    await claims.advance(await claimed(job), 'RUNNING');
    return true;
  };
  const end = async (id: OfferId): Promise<void> => {
    await claims.advance(await claimed(id), 'RELEASING');
    await claims.finish(await claimed(id), { state: 'COMPLETED', fault: null }, []);
  };
  /** Executors work: overlong jobs end, and jobs that can begin do. */
  const work = async (): Promise<void> => {
    const { now, rows } = await read(db);
    for (const { id, kind, ends } of rows)
      if (id !== null && kind === 'begun' && ends <= now) await end(id);
    while (await begin());
  };
  /** An ask must not delay the claim of a due job. */
  const ask = async ({
    cores,
    startsIn,
    duration,
    isAccepted,
  }: Extract<Act, { kind: 'ask' }>): Promise<void> => {
    await sweep(db.database);
    const before = await read(db);
    const [id] =
      (await placeOffers(db.database, [{ destination: 'here', cores, startsIn, duration }])) ?? [];
    if (id !== undefined && isAccepted) await accept(db.database, id);
    await db.database.$executeRaw`SELECT keep_all_claims()`;
    const after = await read(db);
    const due = before.rows.filter(({ kind }) => kind === 'due');
    if (due.some(({ starts, ends, run }) => Math.max(starts, before.now) + run + ROOMY > ends))
      return;
    for (const claim of due) {
      const now = after.rows.find((row) => row.id === claim.id);
      expect(now?.starts).toBeLessThanOrEqual(Math.max(claim.starts, after.now));
    }
  };
  const perform = async (one: Act): Promise<void> => {
    if (one.kind === 'ask') return ask(one);
    if (one.kind === 'pass') return pass(one.seconds);
    if (one.kind === 'work') return work();
    const { rows } = await read(db);
    const some = rows.filter(({ kind }) =>
      one.kind === 'end' ? kind === 'begun' : kind === 'due' || kind === 'ahead',
    );
    const id = some[one.pick % Math.max(1, some.length)]?.id;
    if (id === undefined || id === null) return;
    if (one.kind === 'end') await end(id);
    else await db.database.$executeRaw`SELECT abort_job(${id}::uuid, NULL)`;
  };
  /**
   * The invariants: nothing is oversold, every waiting job has a claim, and a job ahead keeps its
   * promised time.
   */
  const check = async (): Promise<void> => {
    expect((await peaks(db.database)).get('here') ?? 0).toBeLessThanOrEqual(CAPACITY);
    expect(await guard(db.database)).toBe(0);
    const { now, rows } = await read(db);
    for (const { kind, starts, ends, run, offered } of rows) {
      if (kind === 'ahead') expect(starts).toBe(offered);
      if (kind === 'due') expect(ends).toBeGreaterThanOrEqual(Math.min(now, starts) + run - SLOP);
    }
    const waiting = await db.database.$queryRaw<
      { n: number }[]
    >`SELECT count(*)::int AS n FROM job WHERE ended_at IS NULL`;
    expect(rows.filter(({ kind }) => kind !== 'held')).toHaveLength(waiting[0]?.n ?? -1);
  };

  test('starts what was accepted first, unless only a later job fits; no later ask delays it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 20 }), async (acts) => {
        await db.database.$executeRaw`TRUNCATE ask CASCADE`;
        await writeSites(db.database, { here: CAPACITY });
        await db.database.$executeRaw`SELECT recount_live(ARRAY['here'])`;
        for (const one of acts) {
          await db.database.$executeRaw`UPDATE destination SET claims_at = '-infinity'`;
          await perform(one);
          await check();
        }
        // With executors all accepted jobs run.
        for (let round = 0; (await read(db)).rows.some(({ kind }) => kind !== 'held'); round += 1) {
          expect(round).toBeLessThan(200);
          await db.database.$executeRaw`UPDATE destination SET claims_at = '-infinity'`;
          await work();
          await pass(500);
          await check();
        }
        const ended = await db.database.$queryRaw<
          { n: number }[]
        >`SELECT count(*)::int AS n FROM offer WHERE state = 'FAILED'`;
        expect(ended).toEqual([{ n: 0 }]);
      }),
      { numRuns: Number(process.env['ORDER_RUNS'] ?? 12) },
    );
  }, 600_000);
});
