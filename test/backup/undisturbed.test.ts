import { mkdir, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { writeBackup } from '../../src/backup/write.ts';
import { connectTo } from '../../src/db/migrate.ts';
import { until } from '../cli/service-process.ts';
import { accept, placeOffers, writeSites } from '../harness/book.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';

/** So much is not compressed before the test ends; it takes no room. */
const LARGE = 2 ** 36;

describe('a backup beside a database of others', () => {
  let db: TestDatabase;
  let folder = '';
  beforeAll(async () => {
    db = await openTestDatabase();
    await writeSites(db.database, { here: 4 });
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'planner-undisturbed-'));
  });
  afterAll(async () => {
    await db.close();
  });

  test('keeps no transaction while it copies results, and no end of the connection ends it then', async () => {
    const [id] = (await placeOffers(db.database, [{ destination: 'here', cores: 1 }])) ?? [];
    if (id === undefined) throw new Error('there is no offer');
    await accept(db.database, id);
    await db.database.$executeRaw`UPDATE job SET ended_at = now() WHERE id = ${id}::uuid`;
    await db.database.$executeRaw`
      INSERT INTO job_result (job_id, id, place, path, mime_type, size)
      VALUES (${id}::uuid, 'stdout', 0, 'stdout', 'text/plain', ${LARGE}::bigint)`;
    const [jobs, file] = [join(folder, 'jobs'), join(folder, 'backup.tar.gz')];
    await mkdir(join(jobs, id), { recursive: true });
    await writeFile(join(jobs, id, 'stdout'), '');
    await truncate(join(jobs, id, 'stdout'), LARGE);
    const stop = new AbortController();
    const parts = { databaseUrl: db.url, jobsDirectory: jobs, file, signal: stop.signal };
    const writing = writeBackup(parts).catch((error: unknown) => error);

    /** Connections of this database that have read the results and are in no transaction. */
    const resting = (): Promise<{ pid: number }[]> => db.database.$queryRaw`
      SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND state = 'idle' AND query = 'COMMIT'
        AND application_name = ''`;
    await until('the results are copied', async () => (await resting()).length === 1);
    await db.database.$queryRaw`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = ''`;
    await until('the connection is gone', async () => (await resting()).length === 0);
    stop.abort(new Error('enough'));
    expect(await writing).toBe(stop.signal.reason);
    expect(await readdir(folder)).toEqual(['jobs']);
    await rm(folder, { recursive: true });
  });

  test('has the time that it takes, whatever limits the database has for others', async () => {
    const url = new URL(db.url);
    const name = url.pathname.slice(1);
    for (const limit of ['statement_timeout', 'idle_in_transaction_session_timeout'])
      await db.database.$executeRawUnsafe(`ALTER DATABASE ${name} SET ${limit} = '1min'`);
    const client = await connectTo(db.url);
    const limits = await client.query(
      `SELECT current_setting('statement_timeout') AS statement,
        current_setting('idle_in_transaction_session_timeout') AS idle`,
    );
    await client.end();
    expect(limits.rows).toEqual([{ statement: '0', idle: '0' }]);
    await rm(folder, { recursive: true });
  });
});
