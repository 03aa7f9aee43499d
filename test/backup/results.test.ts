import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { extract, pack } from 'tar-stream';
import { addResults } from '../../src/backup/results.ts';

/** More than a tar that nobody reads takes in. */
const LARGE = 4 * 1024 * 1024;

describe('the results of a backup', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'planner-results-'));
    for (const job of ['a', 'b']) await mkdir(join(folder, job));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Adds results, does something before anybody reads them, and reads them. */
  const added = async (paths: readonly string[], meanwhile: () => Promise<void>) => {
    const archive = pack();
    const rows = paths.map((path) => ({ job: path.slice(0, 1), path: path.slice(2) }));
    const adding = addResults(archive, folder, rows);
    adding.catch((error: unknown) => archive.destroy(Object(error)));
    await meanwhile();
    const entries = archive.pipe(extract());
    void adding.then(() => archive.finalize());
    const names: string[] = [];
    for await (const entry of entries)
      names.push(`${entry.header.name} ${(await buffer(entry)).length}`);
    return { names, report: await adding };
  };

  test('leave out what the service removes while the backup is written', async () => {
    await writeFile(join(folder, 'a/large'), Buffer.alloc(LARGE));
    await writeFile(join(folder, 'b/gone'), 'x');
    await writeFile(join(folder, 'a/zero'), '');
    expect(
      await added(['a/large', 'b/gone', 'a/zero'], () =>
        rm(join(folder, 'b'), { recursive: true }),
      ),
    ).toEqual({
      names: [`jobs/a/large ${LARGE}`, 'jobs/a/zero 0'],
      report: { results: 2, missing: 1 },
    });
  });

  test('are files of the job only: no link, folder, or file elsewhere', async () => {
    await writeFile(join(folder, 'a/file'), 'x');
    await symlink('file', join(folder, 'a/link'));
    await mkdir(join(folder, 'a/folder'));
    const paths = ['a/file', 'a/link', 'a/folder', 'b/../a/file', 'a/file/below'];
    expect(await added(paths, async () => undefined)).toEqual({
      names: ['jobs/a/file 1'],
      report: { results: 1, missing: 4 },
    });
  });
});
