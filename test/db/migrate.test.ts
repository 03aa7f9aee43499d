import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SESSION_TRANSITIONS } from '../../src/planner/states.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';

describe('the schema', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await openTestDatabase();
  });
  afterAll(() => db.close());

  test('migrating a database that is up to date applies nothing, from four processes at once', async () => {
    expect(await Promise.all([1, 2, 3, 4].map(() => migrate(db.url)))).toEqual([[], [], [], []]);
  });

  test('the table of allowed transitions in the database is the one of the program', async () => {
    const rows = await db.database.$queryRaw<{ from: string; to: string }[]>`
      SELECT from_state::text AS "from", to_state::text AS "to" FROM session_transition`;
    const program = Object.entries(SESSION_TRANSITIONS).flatMap(([from, next]) => next.map((to) => `${from} ${to}`));
    expect(rows.map(({ from, to }) => `${from} ${to}`).sort()).toEqual(program.sort());
  });

  test('the Prisma schema describes the migrated database: every column of every model can be read', async () => {
    const { ask, destination, job, jobResult, offer, reservation } = db.database;
    const reads = [ask.findFirst(), destination.findFirst(), job.findFirst(), jobResult.findFirst(), offer.findFirst(), reservation.findFirst()];
    expect(await Promise.all(reads)).toEqual([null, null, null, null, null, null]);
  });

  test('a migration that was edited after it was applied stops the start', async () => {
    await db.database.$executeRaw`UPDATE _prisma_migrations SET checksum = 'other' WHERE migration_name LIKE '%_functions'`;
    await expect(migrate(db.url)).rejects.toThrow('migration 20261121000100_functions was changed after it was applied');
  });
});
