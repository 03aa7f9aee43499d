import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { openTrail, type Trail } from '../../src/audit/trail.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await openTestDatabase(2);
});
afterAll(() => db.close());

function note(trail: Trail, action: string, at = new Date()): void {
  trail.note({
    at,
    requestId: '01890a5d-ac96-774b-bcce-b302099a8057',
    owner: 'anonymous',
    administrator: false,
    address: '127.0.0.1',
    action,
    status: 200,
    why: null,
  });
}

test('whoever reads the audit trail page by page misses no change, even of one instant', async () => {
  const trail = openTrail(db.database, pino({ level: 'silent' }));
  const first = Date.UTC(2030, 0, 1);
  for (let n = 0; n < 9; n += 1) note(trail, `${n}`, new Date(first + Math.floor(n / 3)));
  const found: string[] = [];
  let before = new Date(first + 1000);
  for (let page = 0; page < 5; page += 1) {
    const entries = await trail.read(before, 2);
    found.push(...entries.map(({ action }) => action));
    before = entries.at(-1)?.at ?? new Date(first);
    if (before.getTime() === first) break;
  }
  expect(found).toEqual(['8', '7', '6', '5', '4', '3', '2', '1', '0']);
  await db.database.$executeRaw`TRUNCATE audit`;
  await trail.close();
});

test('the audit trail has a maximum number of entries: the oldest make room for new ones', async () => {
  const trail = openTrail(db.database, pino({ level: 'silent' }), 3);
  const kept = async (): Promise<readonly string[]> =>
    (await trail.read(new Date(Date.now() + 1000), 100)).map(({ action }) => action).toSorted();
  for (const action of ['1', '2', '3', '4', '5']) {
    note(trail, action);
    await kept();
  }
  // The next entry removes those beyond the limit.
  expect(await kept()).toEqual(['2', '3', '4', '5']);
  await trail.close();
});
