import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { needs } from '../../engines/packages.ts';
import { withEngine } from '../../engines/summary.ts';
import { ADA, startFriendly, type Friendly } from './service.ts';

const run = promisify(execFile);

withEngine('curl with a password', needs('curl'), () => {
  let service: Friendly;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'curl-'));
    service = await startFriendly();
  });
  afterAll(async () => {
    await service?.close();
    await rm(folder, { recursive: true, force: true });
  });
  const curl = async (...words: readonly string[]) =>
    (await run('curl', ['-sS', '--fail-with-body', '-u', `${ADA.user}:${ADA.password}`, ...words]))
      .stdout;

  test('follows a log to its end, and goes on with a download that broke', async () => {
    const job = `${service.url}/jobs/${await service.accepted(['sh', '-c', 'echo one; sleep 1; echo two'])}`;
    expect(await curl('-N', `${job}/results/stdout`)).toBe('one\ntwo\n');
    const file = join(folder, 'result');
    await writeFile(file, 'on');
    await curl(`${job}?WAIT=60&PHASE=EXECUTING`);
    await curl('-C', '-', '-o', file, `${job}/results/result`);
    expect(await readFile(file, 'utf8')).toBe('one\ntwo\n');
  });

  test('comes from an offer to its job by the redirect', async () => {
    const offer = await service.accepted(['true'], 'client');
    const words = ['-L', '-d', `OFFER=${offer}`, '-d', 'PHASE=RUN', `${service.url}/jobs`];
    expect(await curl(...words)).toContain(`<uws:jobId>${offer}</uws:jobId>`);
  });
});
