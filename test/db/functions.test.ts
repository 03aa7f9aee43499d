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
});
