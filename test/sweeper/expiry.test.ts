import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as after } from 'node:timers/promises';
import { sweep } from '../../src/sweeper/sweep.ts';
import { accept, placeOffers, writeSites } from '../harness/book.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await openTestDatabase();
  await writeSites(db.database, { here: 100, there: 100 });
});
afterAll(() => db.close());

test('an offer and its hold last until its own end, though a sibling has expired', async () => {
  const [short, long] =
    (await placeOffers(db.database, [
      { destination: 'here', cores: 1, lifetime: 0.2 },
      { destination: 'there', cores: 1, lifetime: 300 },
    ])) ?? [];
  if (short === undefined || long === undefined) throw new Error('no offers');
  await after(300);
  await sweep(db.database);
  const offers = await db.database.offer.findMany({ orderBy: { place: 'asc' } });
  expect(offers.map(({ state }) => state)).toEqual(['EXPIRED', 'OFFERED']);
  expect((await accept(db.database, short)).verdict).not.toBe('accepted');
  expect((await accept(db.database, long)).verdict).toBe('accepted');
});
