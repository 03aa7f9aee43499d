import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';

const FOLDER = fileURLToPath(new URL('../../prisma/migrations/', import.meta.url));

/** Names of all migrations, in their order. */
export async function migrationNames(): Promise<readonly string[]> {
  return (await readdir(FOLDER, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

/** Makes an empty database. @returns its URL */
export async function createEmpty(): Promise<string> {
  const server = process.env['TEST_DATABASE_SERVER'];
  if (server === undefined)
    throw new Error('TEST_DATABASE_SERVER is not set: run the tests through jest');
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  const admin = new Client({ connectionString: server });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** Applies and records these migrations as an earlier version did. */
export async function applyMigrations(client: Client, names: readonly string[]): Promise<void> {
  await client.query(`CREATE TABLE "_prisma_migrations" (
    id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ,
      migration_name VARCHAR(255) NOT NULL,
    logs TEXT, rolled_back_at TIMESTAMPTZ, started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
      applied_steps_count INTEGER NOT NULL DEFAULT 0)`);
  for (const migration of names) {
    const sql = await readFile(`${FOLDER}${migration}/migration.sql`, 'utf8');
    await client.query(sql);
    await client.query(
      'INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ($1, $2, $3, now())',
      [randomUUID(), createHash('sha256').update(sql).digest('hex'), migration],
    );
  }
}
