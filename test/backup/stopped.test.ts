import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { writeBackup } from '../../src/backup/write.ts';
import { connectTo } from '../../src/db/migrate.ts';
import { until } from '../cli/service-process.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';

describe('a backup that is stopped', () => {
  let db: TestDatabase;
  let folder = '';
  beforeAll(async () => {
    db = await openTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'planner-stopped-'));
  });
  afterAll(async () => {
    await db.close();
    await rm(folder, { recursive: true });
  });

  test('leaves nothing that looks like a backup, and no rows beside it', async () => {
    const other = await connectTo(db.url);
    // The backup waits for a table, and so is under way.
    await other.query('BEGIN; LOCK TABLE ask');
    const [stop, file] = [new AbortController(), join(folder, 'backup.tar.gz')];
    const { signal } = stop;
    const writing = writeBackup({ databaseUrl: db.url, jobsDirectory: folder, file, signal });
    const outcome = writing.catch((error: unknown) => error);
    await until('the rows have a place', async () => (await readdir(folder)).length === 2);
    stop.abort(new Error('enough'));
    expect(await outcome).toBe(signal.reason);
    expect(await readdir(folder)).toEqual([]);
    await other.end();
  });
});
