import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createClaims, type Claims } from '../../src/executor/claims.ts';
import type { OfferId } from '../../src/words/ids.ts';
import { accept, placeOffers, writeSites } from '../harness/book.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';

const PAUSE_S = 600;

let db: TestDatabase;
let claims: Claims;

beforeAll(async () => {
  db = await openTestDatabase();
  await writeSites(db.database, { here: 100, there: 100 });
  claims = createClaims(db.database, {
    executor: 'here:1:1',
    home: { host: 'here' },
    leaseSeconds: 600,
  });
});
afterAll(() => db.close());

async function accepted(destination: string): Promise<OfferId> {
  const [id] = (await placeOffers(db.database, [{ destination, cores: 1 }])) ?? [];
  if (id === undefined) throw new Error('no offer');
  await accept(db.database, id);
  return id;
}

test('a job that cannot begin for the time being keeps no job behind it waiting', async () => {
  const [bad, good] = [await accepted('here'), await accepted('here')];
  expect(await claims.take(bad, false)).toMatchObject({ job: bad, verdict: 'begin' });
  expect(await claims.putBack({ id: bad, attempt: 1 }, PAUSE_S)).toBe(true);
  // The message of any job lets the first one begin that can.
  expect(await claims.take(good, false)).toMatchObject({ job: good, verdict: 'begin' });
  expect(await claims.next('here')).toMatchObject({ job: null, verdict: 'crowded' });
});

test('it begins before those behind it once its pause is over', async () => {
  const [first, second] = [await accepted('there'), await accepted('there')];
  await claims.take(first, false);
  await claims.putBack({ id: first, attempt: 1 }, PAUSE_S);
  await db.database.$executeRaw`
    UPDATE job SET lease_until = lease_until - make_interval(secs => ${PAUSE_S}) WHERE id = ${first}::uuid`;
  expect(await claims.next('there')).toMatchObject({ job: first, verdict: 'begin' });
  expect(await claims.next('there')).toMatchObject({ job: second, verdict: 'begin' });
});
