import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { openDatabase, type Database } from '../../src/db/client.ts';

/** A test file's own migrated database, with real commits and locks. */
export type TestDatabase = {
  readonly url: string;
  readonly database: Database;
  readonly close: () => Promise<void>;
};

/**
 * Copies the template of test/harness/jest/start.mjs. Nothing is dropped, because the end of the
 * run deletes the whole cluster.
 */
export async function openTestDatabase(connections = 10): Promise<TestDatabase> {
  const server = process.env['TEST_DATABASE_SERVER'];
  if (server === undefined)
    throw new Error('TEST_DATABASE_SERVER is not set: run the tests through jest');
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  const client = new Client({ connectionString: server });
  await client.connect();
  // PostgreSQL refuses the second of two copies at the same instant (55006).
  for (;;) {
    try {
      await client.query(`CREATE DATABASE ${name} TEMPLATE template_planner`);
      break;
    } catch (error) {
      if (Object(error).code !== '55006') throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  await client.end();
  const url = new URL(server);
  url.pathname = `/${name}`;
  const database = openDatabase(url.href, connections);
  return { url: url.href, database, close: () => database.$disconnect() };
}
