import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Logger, runOnce, type TaskList } from 'graphile-worker';
import { createClaims, type Claims } from '../../src/executor/claims.ts';
import { newOfferId } from '../harness/book.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';

/** With its growing pauses, the queue tries a message so often in five days. */
const FIVE_DAYS = 30;

const QUIET = new Logger(() => () => undefined);

let db: TestDatabase;
let claims: Claims;

beforeAll(async () => {
  db = await openTestDatabase();
  claims = createClaims(db.database, {
    executor: 'here:1:1',
    home: { host: 'here' },
    leaseSeconds: 60,
  });
});
afterAll(() => db.close());

test.each(['remove', 'stop'] as const)(
  'the message to %s a job is there until somebody can, however long its engine is away',
  async (task) => {
    await claims.sendHome(task, newOfferId(), 'here');
    let tried = 0;
    const tasks: TaskList = {
      [`${task}@here`]: async () => {
        tried += 1;
        throw new Error('the engine is away');
      },
    };
    // The library may write down a failure after a look for messages has ended.
    const isOver = (): boolean => tried >= FIVE_DAYS;
    for (let left = 2 * FIVE_DAYS; left > 0 && !isOver(); left -= 1) {
      await db.database
        .$executeRaw`UPDATE graphile_worker._private_jobs SET run_at = clock_timestamp()`;
      await runOnce({ connectionString: db.url, taskList: tasks, logger: QUIET });
    }
    expect(tried).toBe(FIVE_DAYS);
  },
);
