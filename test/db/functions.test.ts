import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';
import { functionsOf } from './functions.ts';

describe('prisma/functions.sql', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await openTestDatabase(1);
  });
  afterAll(() => db.close());

  test('is what all migrations together make; `npm run functions` writes it', async () => {
    expect(await functionsOf(db.url)).toBe(
      await readFile(new URL('../../prisma/functions.sql', import.meta.url), 'utf8'),
    );
  });

  test('names the state of a job within the statement that reads many jobs, without a call for each', async () => {
    const plan = await db.database.$queryRaw<Record<string, string>[]>`
      EXPLAIN (VERBOSE) SELECT shown_state(o.state, j.unknown_since) FROM job j JOIN offer o USING (id)`;
    expect(plan.map((line) => line['QUERY PLAN']).join('\n')).not.toContain('shown_state');
  });
});
