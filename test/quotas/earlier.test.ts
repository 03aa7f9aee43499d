import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { countEarlier, readQuotaUse } from '../../src/planner/record/quota-use.ts';
import { placeAnswers } from '../../src/planner/record/write-answers.ts';
import { DEFAULT_QUOTAS, type Quota } from '../../src/site/quotas.ts';
import { placementOf, propose, writeSites } from '../harness/book.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await openTestDatabase();
  await writeSites(db.database, { a: 4000 });
});
afterAll(() => db.close());

test('a quota that is new counts what each of its owners has, once, and nothing that is over', async () => {
  for (const owner of ['user:ada', 'user:bob', 'oidc:https://iam.example.org/ 7', 'anonymous'])
    await place(owner);
  const [lapsed = ''] = await place('user:ada');
  await db.database
    .$executeRaw`UPDATE reservation SET state = 'LAPSED' WHERE ask_id = ${lapsed}::uuid`;
  const quotas = [
    quota({ for: 'user' }),
    quota({
      for: 'user',
      name: 'Bob',
      identities: ['user:bob', 'oidc:https://iam.example.org/ 7'],
    }),
    quota({ for: 'anonymous' }),
    quota({ for: 'role', name: 'students' }),
    quota({ for: 'site' }),
  ];
  await countEarlier(db.database, quotas);
  await countEarlier(db.database, quotas);
  const used = async (scope: string) => (await readQuotaUse(db.database, scope, 0)).holds;
  expect(await Promise.all(['user:ada', 'user:bob', 'person:Bob', 'anonymous'].map(used))).toEqual([
    1, 0, 2, 1,
  ]);
  expect(await used('role:students')).toBe(0);
  expect(await used('site')).toBe(4);
});

async function place(owner: string): Promise<readonly string[]> {
  const placement = placementOf([propose({ destination: 'a', cores: 1 })], owner);
  await placeAnswers(db.database, [placement], Date.now(), new Map());
  return [placement.record.id];
}

function quota(whose: Pick<Quota, 'for'> & Partial<Quota>): Quota {
  const [{ limits } = { limits: undefined }] = DEFAULT_QUOTAS;
  if (limits === undefined) throw new Error('there is always a default');
  return { name: undefined, identities: undefined, ...whose, limits: { ...limits, jobs: 9 } };
}
