import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { openDatabase, type Database } from '../../src/db/client.ts';

/** A migrated database of a test file's own, with real commits and real locks. */
export type TestDatabase = {
  readonly url: string;
  readonly database: Database;
  readonly close: () => Promise<void>;
};

/**
 * Copies the template that test/harness/jest/start.mjs made. The run's whole cluster is deleted
 * afterwards, so nothing is dropped.
 */
export async function openTestDatabase(connections = 10): Promise<TestDatabase> {
  const server = process.env['TEST_DATABASE_SERVER'];
  if (server === undefined)
    throw new Error('TEST_DATABASE_SERVER is not set: run the tests through jest');
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  const client = new Client({ connectionString: server });
  await client.connect();
  // Two files may copy the template at the same instant; PostgreSQL then
  // refuses the second one (55006).
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query(`CREATE DATABASE ${name} TEMPLATE template_planner`);
      break;
    } catch (error) {
      if (attempt === 50) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  await client.end();
  const url = new URL(server);
  url.pathname = `/${name}`;
  const database = openDatabase(url.href, connections);
  return { url: url.href, database, close: () => database.$disconnect() };
}
