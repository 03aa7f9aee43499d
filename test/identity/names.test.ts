import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openNames } from '../../src/identity/names.ts';
import { issuedOwner, localOwner, type Principal } from '../../src/identity/principal.ts';
import { createPurge } from '../../src/sweeper/purge.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';
import { movableClock } from './identify.ts';

describe("the name of an issuer's user", () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await openTestDatabase();
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    await db.database.$executeRaw`TRUNCATE identity`;
  });
  const known = (
    user: string,
    owner = issuedOwner('https://iam.example.org/', '9f2c'),
  ): Principal => ({ kind: 'user', owner, user, roles: [], administrator: false });
  const names = async () =>
    (await db.database.identity.findMany()).map(({ owner, name }) => [owner, name]);

  test('is kept when it is seen, and changed when it has changed', async () => {
    const { keep } = openNames(db.database, Date.now);
    await keep(known('ada@example.org'));
    await keep(known('ada@example.org'));
    expect(await names()).toEqual([['oidc:https://iam.example.org/ 9f2c', 'ada@example.org']]);
    await keep(known('countess@example.org'));
    expect(await names()).toEqual([['oidc:https://iam.example.org/ 9f2c', 'countess@example.org']]);
  });

  test('is written once a day and not for every request', async () => {
    const clock = movableClock();
    const { keep } = openNames(db.database, clock.now);
    await keep(known('ada@example.org'));
    await db.database.$executeRaw`TRUNCATE identity`;
    await keep(known('ada@example.org'));
    expect(await names()).toEqual([]);
    clock.forward(86_400);
    await keep(known('ada@example.org'));
    expect(await names()).toHaveLength(1);
  });

  test('is kept for users of issuers only: other names are the owners', async () => {
    const { keep } = openNames(db.database, Date.now);
    await keep({ kind: 'anonymous' });
    await keep(known('ada@example.org', localOwner('ada@example.org')));
    expect(await names()).toEqual([]);
  });

  test('is forgotten with the records, when its user stays away that long', async () => {
    await openNames(db.database, Date.now).keep(known('ada@example.org'));
    await createPurge(db.database, () => performance.now()).run();
    expect(await names()).toHaveLength(1);
    await db.database
      .$executeRaw`UPDATE identity SET seen_at = clock_timestamp() - interval '31 days'`;
    await createPurge(db.database, () => performance.now()).run();
    expect(await names()).toEqual([]);
  });
});
