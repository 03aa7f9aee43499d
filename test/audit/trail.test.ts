import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { openTrail } from '../../src/audit/trail.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await openTestDatabase(2);
});
afterAll(() => db.close());

test('the audit trail has a maximum number of entries: the oldest make room for new ones', async () => {
  const trail = openTrail(db.database, pino({ level: 'silent' }), 3);
  const note = (action: string): void =>
    trail.note({
      at: new Date(),
      requestId: '01890a5d-ac96-774b-bcce-b302099a8057',
      owner: 'anonymous',
      administrator: false,
      address: '127.0.0.1',
      action,
      status: 200,
      why: null,
    });
  const kept = async (): Promise<readonly string[]> =>
    (await trail.read(new Date(Date.now() + 1000), 100)).map(({ action }) => action).toSorted();
  for (const action of ['1', '2', '3', '4', '5']) {
    note(action);
    await kept();
  }
  // The next entry removes those beyond the limit.
  expect(await kept()).toEqual(['2', '3', '4', '5']);
  await trail.close();
});
