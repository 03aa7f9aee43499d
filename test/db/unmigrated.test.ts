import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { migrate } from '../../src/db/migrate.ts';
import { CannotStart } from '../../src/words/cannot-start.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';

describe('a database that cannot be brought up to date', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await openTestDatabase();
  });
  afterAll(() => db.close());

  /** An empty database beside the one of the tests; all end with the run's cluster. */
  const empty = async (name: string): Promise<URL> => {
    await db.database.$executeRawUnsafe(`CREATE DATABASE ${name} TEMPLATE template0`);
    const url = new URL(db.url);
    url.pathname = `/${name}`;
    return url;
  };
  const outcomeOf = (url: URL) => migrate(url.href).catch((error: unknown) => error);

  test('because its account may not, is refused in one sentence with both', async () => {
    const url = await empty('of_others');
    await db.database.$executeRawUnsafe(`CREATE ROLE guest LOGIN PASSWORD 'guest'`);
    [url.username, url.password] = ['guest', 'guest'];
    const outcome = await outcomeOf(url);
    expect(outcome).toBeInstanceOf(CannotStart);
    expect(outcome).toMatchObject({
      message:
        'the database of_others cannot be brought up to date as guest: ' +
        'permission denied for database of_others',
    });
  });

  test('because it is read-only, as a standby is, is refused in one sentence', async () => {
    const url = await empty('read_only');
    await db.database.$executeRawUnsafe(
      'ALTER DATABASE read_only SET default_transaction_read_only = on',
    );
    const outcome = await outcomeOf(url);
    expect(outcome).toBeInstanceOf(CannotStart);
    expect(outcome).toMatchObject({
      message: expect.stringMatching(
        /^the database read_only cannot be brought up to date as \w+: cannot execute .* in a read-only transaction$/,
      ),
    });
  });
});
