import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openDatabase } from '../../src/db/client.ts';
import { findOffer, readOfferRows } from '../../src/planner/record/offer-rows.ts';
import { placeAnswers } from '../../src/planner/record/write-answers.ts';
import { readJob } from '../../src/uws/store/read-job.ts';
import { accept, placementOf, propose, writeSites } from '../harness/book.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';

/** PostgreSQL makes five plans for the values of a statement before one that it keeps. */
const ENOUGH_FOR_PLANS = 12;

let db: TestDatabase;
beforeAll(async () => {
  // One connection, which keeps its plans.
  db = await openTestDatabase(1);
  await writeSites(db.database, { a: 1000 });
});
afterAll(() => db.close());

type Readings = { readonly whole: number; readonly lookedUp: number };

/** How often tables of the book were read whole, and rows of asks looked up, since the start. */
async function readings({ database }: TestDatabase): Promise<Readings> {
  await database.$executeRaw`SELECT pg_stat_force_next_flush()`;
  const [found] = await database.$queryRaw<Readings[]>`
    SELECT sum(seq_scan)::int AS whole,
      sum(idx_scan) FILTER (WHERE relname = 'ask')::int AS "lookedUp"
    FROM pg_stat_user_tables WHERE relname IN ('ask', 'offer', 'reservation', 'job')`;
  if (found === undefined) throw new Error('PostgreSQL counts nothing');
  return found;
}

test.each([
  ['alone', () => undefined],
  [
    'under a key',
    () => ({ scopes: [], key: { key: crypto.randomUUID(), route: 'r', bodyHash: 'h' } }),
  ],
])(
  'an answer (%s), its accept and what reads them read no table whole, even with plans from an empty book',
  async (_, guardOf) => {
    const { database } = db;
    await database.$executeRaw`TRUNCATE ask CASCADE`;
    await database.$executeRaw`ANALYZE ask, offer, reservation, job`;
    const before = await readings(db);
    for (let count = 0; count < ENOUGH_FOR_PLANS; count += 1) {
      const guard = guardOf();
      const proposal = propose({ destination: 'a', cores: 1 });
      const answer = { ...placementOf([proposal]), ...(guard && { guard }) };
      const { verdicts } = await placeAnswers(database, [answer], Date.now(), new Map());
      expect([...verdicts.values()].map(({ kind }) => kind)).not.toContain('conflict');
      expect((await accept(database, proposal.id)).verdict).toBe('accepted');
      expect((await findOffer(database, proposal.id, undefined))?.state).toBe('ACCEPTED');
      expect((await readOfferRows(database, answer.record.id)).length).toBe(1);
      expect((await readJob(database, proposal.id))?.state).toBe('ACCEPTED');
    }
    const after = await readings(db);
    expect(after.lookedUp - before.lookedUp).toBeGreaterThan(ENOUGH_FOR_PLANS);
    expect(after.whole - before.whole).toBe(0);
  },
);

test('no statement of a planner is compiled, whatever its URL sets beside that', async () => {
  const database = openDatabase(`${db.url}?options=-c%20work_mem%3D8MB`, 1);
  const found = await database.$queryRaw`
    SELECT current_setting('jit') AS jit, current_setting('work_mem') AS memory`;
  await database.$disconnect();
  expect(found).toEqual([{ jit: 'off', memory: '8MB' }]);
});
