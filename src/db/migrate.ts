import { hash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runMigrations } from 'graphile-worker';
import { Client, Pool } from 'pg';
import { CannotStart } from '../words/cannot-start.ts';
import { errorCode, errorText } from '../words/system-error.ts';

const FOLDER = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));

/** The lock of Prisma's own engine, so that both can never migrate at once. */
const LOCK = 72_707_369;

// The same table as that of Prisma's engine: with internet access `prisma migrate deploy` works on
// the same database.
const HISTORY = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
  id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ,
    migration_name VARCHAR(255) NOT NULL,
  logs TEXT, rolled_back_at TIMESTAMPTZ, started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count INTEGER NOT NULL DEFAULT 0)`;

const CONNECT_LIMIT_MS = 10_000;
/**
 * Limits that a server or an account may have: migrations and backups take as long as they take, and
 * a backup writes files within its transaction. Older servers lack some of them.
 */
const WITHOUT_LIMITS = `SELECT set_config(name, '0', false) FROM pg_settings WHERE name IN
  ('statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout')`;
/** Longest wait for another process that migrates the same database. */
const LOCK_LIMIT_S = 60;
const LOCK_NOT_AVAILABLE = '55P03';

type Migration = { readonly name: string; readonly sql: string; readonly checksum: string };

/**
 * Migrates a database to the schema of this version: our migrations, and those of the queue. Any
 * number of processes may call it at once; the first one does the work.
 *
 * @returns names of the migrations that were applied now
 * @throws CannotStart if the database cannot be reached, is not in UTF-8, belongs to a newer
 * version or to none, or a migration fails, which is then rolled back
 */
export async function migrate(url: string): Promise<readonly string[]> {
  const client = await connectTo(url);
  try {
    await requireUtf8(client);
    await takeTurn(client);
    const [history, migrations] = [await readHistory(client), await readMigrations()];
    requireOurs(client, history, migrations);
    await migrateQueue(url);
    return await applyOwn(client, history, migrations);
  } catch (error) {
    throw error instanceof CannotStart ? error : unmigrated(client, reasonOf(error), error);
  } finally {
    await client.end();
  }
}

/**
 * Checks a database that the planner has migrated, for other processes.
 * @throws CannotStart if it is not migrated to this version
 */
export async function requireMigrated(url: string): Promise<void> {
  const client = await connectTo(url);
  try {
    const [history, migrations] = [await readHistory(client), await readMigrations()];
    requireOurs(client, history, migrations);
    const missing = migrations.filter(({ name }) => !history.has(name));
    if (missing.length > 0)
      throw new CannotStart(
        `the database ${client.database} belongs to an older version: it lacks ` +
          `${missing.map(({ name }) => name).join(', ')}. Start the planner of this version, ` +
          'which brings it up to date.',
      );
  } finally {
    await client.end();
  }
}

/** Creates a database on a server where we may; does nothing if it exists. */
export async function ensureDatabase(serverUrl: string, name: string): Promise<void> {
  const client = await connectTo(serverUrl);
  try {
    await client.query(`CREATE DATABASE "${name.replaceAll('"', '""')}"`);
  } catch (error) {
    // 42P04 duplicate_database; 23505 if two starts create it at the same instant.
    if (
      !(
        error instanceof Error &&
        'code' in error &&
        (error.code === '42P04' || error.code === '23505')
      )
    )
      throw error;
  } finally {
    await client.end();
  }
}

/**
 * Connects to a database, for work that has no limit of time.
 * @throws CannotStart with the server but never the password
 */
export async function connectTo(url: string): Promise<Client> {
  const client = clientFor(url);
  // The next statement reports a broken connection; without a listener it would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(WITHOUT_LIMITS);
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    const { host, port, database, user }: Partial<Client> = client;
    // A URL may leave out either name, and this process may have neither PGDATABASE nor USER.
    throw new CannotStart(
      `the database ${database ? `${database} ` : ''}at ${host}:${port} cannot be used` +
        `${user ? ` as ${user}` : ''}: ${reasonOf(error)}. ` +
        'Is the server running, and is DATABASE_URL right?',
      { cause: error },
    );
  }
}

/** @throws CannotStart for a URL that names files of certificates which are not there */
function clientFor(url: string): Client {
  try {
    return new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_LIMIT_MS });
  } catch (error) {
    throw new CannotStart(`DATABASE_URL cannot be used: ${errorText(error)}`, { cause: error });
  }
}

/**
 * The reason of an error. A refused connection to a host with two addresses is an AggregateError
 * without its own message.
 */
function reasonOf(error: unknown): string {
  return error instanceof AggregateError
    ? error.errors.map(reasonOf).join(', ')
    : error instanceof Error
      ? error.message
      : String(error);
}

/** Waits for other processes that migrate. @throws CannotStart if they take too long */
async function takeTurn(client: Client): Promise<void> {
  await client.query(`SET lock_timeout = '${LOCK_LIMIT_S}s'`);
  await client.query('SELECT pg_advisory_lock($1)', [LOCK]).catch((error: unknown) => {
    if (errorCode(error) !== LOCK_NOT_AVAILABLE) throw error;
    const why = `another process has been at it for ${LOCK_LIMIT_S} s; start again when it is done`;
    throw unmigrated(client, why, error);
  });
}

/** Why a start ends; each migration is applied wholly or not at all. */
function unmigrated({ database, user }: Client, why: string, cause: unknown): CannotStart {
  return new CannotStart(
    `the database ${database} cannot be brought up to date as ${user}: ${why}`,
    { cause },
  );
}

/**
 * Clients write in any script. In another encoding, whole pages of jobs could become unreadable.
 * @throws CannotStart
 */
async function requireUtf8(client: Client): Promise<void> {
  const { rows } = await client.query<{ encoding: string }>(
    `SELECT current_setting('server_encoding') AS encoding`,
  );
  const encoding = rows[0]?.encoding;
  if (encoding === 'UTF8') return;
  throw new CannotStart(
    `the database ${client.database} has the encoding ${encoding} but needs UTF8. ` +
      `Create it with: CREATE DATABASE ${client.database} ENCODING 'UTF8' TEMPLATE template0`,
  );
}

/** Checksums of a database's migrations by name; empty for a new database. */
async function readHistory(client: Client): Promise<ReadonlyMap<string, string>> {
  const {
    rows: [there],
  } = await client.query<{ there: boolean }>(
    `SELECT to_regclass('"_prisma_migrations"') IS NOT NULL AS there`,
  );
  if (there?.there !== true) return new Map();
  const { rows } = await client.query<{ migration_name: string; checksum: string }>(
    'SELECT migration_name, checksum FROM "_prisma_migrations" WHERE finished_at IS NOT ' +
      'NULL AND rolled_back_at IS NULL',
  );
  return new Map(rows.map((row) => [row.migration_name, row.checksum]));
}

async function readMigrations(): Promise<readonly Migration[]> {
  const entries = await readdir(FOLDER, { withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(FOLDER, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: hash('sha256', sql) };
    }),
  );
}

/** @throws CannotStart if a newer version made the database, or no release of ours */
function requireOurs(
  { database }: Client,
  history: ReadonlyMap<string, string>,
  migrations: readonly Migration[],
): void {
  const ours = new Map(migrations.map(({ name, checksum }) => [name, checksum]));
  const unknown = [...history.keys()].filter((name) => !ours.has(name)).toSorted();
  if (unknown.length > 0) {
    throw new CannotStart(
      `the database ${database} belongs to a newer version: it has ` +
        `${unknown.length === 1 ? 'a migration' : `${unknown.length} migrations`} that this ` +
        `version does not know, the last is ${unknown.at(-1)}. Nothing was changed. Start the ` +
        'newer version, or this one on a backup from before the upgrade.',
    );
  }
  const other = migrations.find(
    ({ name, checksum }) => history.has(name) && history.get(name) !== checksum,
  );
  if (other !== undefined) {
    throw new CannotStart(
      `the database ${database} was not made by this version: its migration ${other.name} ` +
        'differs from the one in prisma/migrations. Nothing was changed. If the file was ' +
        'edited (an editor or git may change line ends), restore the released one. ' +
        'Otherwise a version between releases made the database: start that, or begin with an ' +
        'empty database (another DATA_DIR, or another database in DATABASE_URL).',
    );
  }
}

/**
 * The queue's own migrations. They get a pool that is closed here; with a URL they would leave one
 * open.
 */
async function migrateQueue(url: string): Promise<void> {
  const pgPool = new Pool({ connectionString: url, max: 1 });
  // The query reports a broken connection; without a listener the error would end the process.
  pgPool.on('error', () => undefined);
  pgPool.on('connect', (client) => client.on('error', () => undefined));
  try {
    await runMigrations({ pgPool });
  } finally {
    await pgPool.end();
  }
}

async function applyOwn(
  client: Client,
  history: ReadonlyMap<string, string>,
  migrations: readonly Migration[],
): Promise<readonly string[]> {
  await client.query(HISTORY);
  const due = migrations.filter(({ name }) => !history.has(name));
  for (const { name, sql, checksum } of due) {
    // One simple query is one implicit transaction: a migration is applied wholly or not at all.
    await client
      .query(
        `BEGIN;\n${sql}\n;
        INSERT INTO "_prisma_migrations"
          (id, checksum, migration_name, finished_at, applied_steps_count)
        VALUES ('${randomUUID()}', '${checksum}', '${name.replaceAll("'", "''")}', now(), 1);
        COMMIT;`,
      )
      .catch((error: unknown) => {
        throw unmigrated(client, `migration ${name}: ${reasonOf(error)}`, error);
      });
  }
  return due.map(({ name }) => name);
}
