import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { unzipSync } from 'fflate';
import { openWorker, until, type Worker } from '../clients/worker.ts';

let worker: Worker;
beforeAll(async () => {
  worker = await openWorker();
});
afterAll(() => worker.close());

const ZIP = { headers: { accept: 'application/zip' } };

/** A finished job with these files as its results. */
async function withFiles(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const id = await worker.job();
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(worker.resultsRoot, id, path)), { recursive: true });
    await writeFile(join(worker.resultsRoot, id, path), content);
  }
  await worker.complete(
    id,
    Object.entries(files).map(([path, content], place) => ({
      id: `result-${place}`,
      path,
      mimeType: path.endsWith('.fits') ? 'application/fits' : 'text/plain',
      size: content.length,
    })),
  );
  return id;
}

async function archiveOf(id: string): Promise<Readonly<Record<string, Uint8Array>>> {
  const answer = await fetch(`${worker.jobs}/${id}/results?RESPONSEFORMAT=zip`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/zip']);
  return unzipSync(new Uint8Array(await answer.arrayBuffer()));
}

test('all results of a job come as one archive, with their paths below the working directory', async () => {
  const image = new Uint8Array(randomBytes(3_000_000));
  const id = await withFiles({
    stdout: 'hello\n',
    'work/tables/ä b.csv': 'a,b\n'.repeat(50_000),
    'work/image.fits': image,
    'machine-1/work/line': 'one\n',
  });
  const found = await archiveOf(id);
  expect(Object.keys(found)).toEqual(['stdout', 'tables/ä b.csv', 'image.fits', 'machine-1/line']);
  expect(Buffer.from(found['image.fits'] ?? []).equals(Buffer.from(image))).toBe(true);
  expect(Buffer.from(found['tables/ä b.csv'] ?? []).toString()).toBe('a,b\n'.repeat(50_000));
});

test('a file in the working directory with the name of another result keeps its content under its id', async () => {
  const found = await archiveOf(
    await withFiles({ stdout: 'printed', 'work/stdout': 'written', 'work/..\\a': 'x' }),
  );
  expect(Object.keys(found)).toEqual(['stdout', 'result-1', '.._a']);
  expect(Buffer.from(found['result-1'] ?? []).toString()).toBe('written');
});

test('an archive has no file that has become a symlink', async () => {
  const id = await worker.job();
  await mkdir(join(worker.resultsRoot, id, 'work'), { recursive: true });
  await symlink('/etc/passwd', join(worker.resultsRoot, id, 'work/secret'));
  await worker.complete(id, [
    { id: 'secret', path: 'work/secret', mimeType: 'text/plain', size: 1 },
  ]);
  expect(await archiveOf(id)).toEqual({});
});

test('Accept or RESPONSEFORMAT ask for the archive, and another RESPONSEFORMAT is an error that says so', async () => {
  const id = await withFiles({ stdout: 'hello\n' });
  expect((await worker.ask(`/${id}/results`, ZIP)).headers.get('content-disposition')).toBe(
    `attachment; filename="${id}.zip"`,
  );
  expect((await worker.ask(`/${id}/results`)).headers.get('content-type')).toContain('xml');
  expect(
    (
      await worker.ask(`/${id}/results`, {
        headers: { accept: 'application/json, application/zip;q=0.5' },
      })
    ).headers.get('content-type'),
  ).toContain('json');
  const refused = await worker.ask(`/${id}/results?responseformat=tar`);
  expect([refused.status, refused.text]).toEqual([
    400,
    expect.stringContaining('RESPONSEFORMAT is "tar"; it must be zip or application/zip.'),
  ]);
});

test('a client that leaves in the middle of an archive leaves no open file behind', async () => {
  const id = await withFiles({ 'work/big.fits': new Uint8Array(30_000_000) });
  const stop = new AbortController();
  const answer = await fetch(`${worker.jobs}/${id}/results`, { ...ZIP, signal: stop.signal });
  await answer.body?.getReader().read();
  stop.abort();
  await until(() => !openFiles().some((path) => path.includes(id)));
  expect(worker.unexpected).toEqual([]);
});

/** Where /proc tells it; elsewhere none. */
function openFiles(): readonly string[] {
  const folder = '/proc/self/fd';
  return (existsSync(folder) ? readdirSync(folder) : []).map((name) => {
    try {
      return readlinkSync(join(folder, name));
    } catch {
      return '';
    }
  });
}
