import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { pino } from 'pino';
import { openDatabase } from '../../src/db/client.ts';
import { createPlanner } from '../../src/planner/planner.ts';
import { openSandbox } from '../../src/sandbox/open.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { askFor, siteOf } from '../harness/asks.ts';
import { writeSites } from '../harness/book.ts';
import { answerTo } from '../harness/converse.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';

let db: TestDatabase;
let admin: Client;
let sandbox: Sandbox;
beforeAll(async () => {
  db = await openTestDatabase(2);
  await writeSites(db.database, { a: 64 });
  admin = new Client({ connectionString: db.url });
  await admin.connect();
  const name = new URL(db.url).pathname.slice(1);
  await admin.query(`ALTER DATABASE ${name} SET track_functions = 'all'`);
  sandbox = openSandbox({ decisionMs: 20_000 });
  await sandbox.load([{ name: 'rules.yml', text: 'destinations: { a: { runner: process } }' }]);
});
afterAll(async () => {
  await sandbox.close();
  await admin.end();
  await db.close();
});

/** Connections to this database; each tells what it counted when it ends. */
async function connections(): Promise<number> {
  const { rows } = await admin.query(
    'SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database()',
  );
  return Number(rows[0]?.n);
}

test('asks that come together share the reading of what is reserved everywhere', async () => {
  const before = await connections();
  const database = openDatabase(db.url, 10);
  const planner = createPlanner({
    database,
    sandbox,
    site: () => siteOf({ a: { cores: 64 } }),
    log: pino({ level: 'silent' }),
    count: () => undefined,
    clock: Date.now,
  });
  const answers = await Promise.all(
    Array.from({ length: 16 }, () => answerTo(planner, database, askFor({ cores: 1 }))),
  );
  expect(answers.map(({ kind }) => kind)).toEqual(answers.map(() => 'yes'));
  await database.$disconnect();
  while ((await connections()) > before) await new Promise((done) => setTimeout(done, 20));
  const { rows } = await admin.query(
    `SELECT calls::int FROM pg_stat_user_functions WHERE funcname = 'read_outlook'`,
  );
  expect(rows).toEqual([{ calls: 1 }]);
});
