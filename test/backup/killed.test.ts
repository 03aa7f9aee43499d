import { execFileSync } from 'node:child_process';
import { createWriteStream, existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { constants, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pack } from 'tar-stream';
import { readManifest } from '../../src/backup/archive.ts';
import { restoreBackup } from '../../src/backup/restore.ts';
import { writeBackup } from '../../src/backup/write.ts';
import { until } from '../cli/service-process.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';

describe('a restore that is killed', () => {
  let db: TestDatabase;
  let folder = '';
  beforeAll(async () => {
    db = await openTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'planner-killed-'));
  });
  afterAll(async () => {
    await db.close();
    await rm(folder, { recursive: true });
  });

  test('leaves nothing in the way of the next one, and files of others stay', async () => {
    const [file, slow] = [join(folder, 'backup.tar.gz'), join(folder, 'slow')];
    const [jobs, left] = [join(folder, 'jobs'), join(folder, 'left')];
    const databaseUrl = db.url;
    const { signal } = new AbortController();
    await writeBackup({ databaseUrl, jobsDirectory: jobs, file, signal });
    const manifest = await readManifest(file);
    // The file comes slowly, and stands still after a result.
    execFileSync('mkfifo', [slow]);
    const archive = pack();
    for (const name of ['one', 'two']) archive.entry({ name: `jobs/a/${name}` }, name);
    archive.finalize();
    const half = (await buffer(archive)).subarray(0, 1500);
    const sent = createWriteStream(slow);
    sent.write(gzipSync(half, { finishFlush: constants.Z_SYNC_FLUSH }));
    const restoring = restoreBackup({ databaseUrl, jobsDirectory: jobs, file: slow, manifest });
    const outcome = restoring.catch((error: unknown) => error);
    await until('a result is there', async () => existsSync(join(jobs, 'a', 'one')));
    await cp(jobs, left, { recursive: true });
    sent.end();
    expect(await outcome).toMatchObject({ message: expect.stringContaining('ends too early') });
    expect(await readdir(jobs)).toEqual([]);

    await restoreBackup({ databaseUrl, jobsDirectory: left, file, manifest });
    expect(await readdir(left)).toEqual([]);
    await mkdir(join(left, 'mine'));
    await writeFile(join(left, 'mine', 'file'), '');
    await expect(
      restoreBackup({ databaseUrl, jobsDirectory: left, file, manifest }),
    ).rejects.toThrow('has files; give an empty folder');
    expect(await readdir(left)).toEqual(['mine']);
  });
});
