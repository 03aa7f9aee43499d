import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { until } from '../../uws/clients/worker.ts';
import { withEngine } from '../../engines/summary.ts';
import { installed, missingFromIndex, python2 } from './pip.ts';
import { ADA, startFriendly, type Friendly } from './service.ts';

const run = promisify(execFile);
/** Its last version knows no newer Python. */
const PACKAGES = ['uws-client==1.1.11', 'lxml==5.0.2', 'texttable==1.7.2'];
const python = python2();
const missing = python === undefined ? 'there is no Python 2.7' : missingFromIndex('uws-client');

withEngine('uws-client', missing, () => {
  let service: Friendly;
  let folder: string;
  let modules: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'uws-client-'));
    modules = await installed(python ?? '', ...PACKAGES);
    service = await startFriendly();
  });
  afterAll(async () => {
    await service?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const uws = async (words: readonly string[], { password = ADA.password as string } = {}) => {
    const { stdout } = await run(
      python ?? '',
      [
        join(modules, 'bin/uws'),
        '-H',
        `${service.url}/jobs`,
        '--user',
        ADA.user,
        '--password',
        password,
        ...words,
      ],
      { cwd: folder, env: { ...process.env, PYTHONPATH: modules, COLUMNS: '200' } },
    );
    return stdout;
  };

  test('creates the job of an accepted offer, starts it, waits, and downloads its results', async () => {
    const job = await service.accepted(['sh', '-c', 'sleep 2; echo hello'], 'client');
    expect(await uws(['job', 'new', `OFFER=${job}`])).toMatch(/Phase +PENDING/);
    expect(await uws(['job', 'run', job])).toMatch(/Phase +(QUEUED|EXECUTING)/);
    await until(async () =>
      /Phase +COMPLETED/.test(await uws(['job', 'show', job, '--wait', '30'])),
    );
    expect(await uws(['job', 'results', job])).toContain('result,stdout,stderr');
    expect(await readFile(join(folder, `${job}.result`), 'utf8')).toBe('hello\n');
  });

  test('starts a job without an offer, from the description of its task', async () => {
    const type = 'https://www.purl.org/ivoa-net/task-type/executable';
    const request = JSON.stringify({ task: { type, spec: { command: ['true'] } } });
    const told = await uws(['job', 'new', '--run', `REQUEST=${request}`]);
    const [, job = ''] = /Job id +(\S+)/.exec(told) ?? [];
    await until(async () => (await uws(['job', 'phase', job])).includes('COMPLETED'));
    expect(await uws(['list', '--completed'])).toContain(job);
  });

  test('lists jobs by phase and time', async () => {
    const job = await service.accepted(['true']);
    await until(async () => (await uws(['job', 'phase', job])).includes('COMPLETED'));
    const listed = await uws(['list', '--completed', '--last', '1', '--after', '2020-01-01']);
    expect(listed).toMatch(new RegExp(`${job} +COMPLETED`));
    expect(await uws(['list', '--error'])).not.toContain(job);
  });

  test('aborts and deletes', async () => {
    const job = await service.accepted(['sleep', '600']);
    await until(async () => (await uws(['job', 'phase', job])).includes('EXECUTING'));
    await uws(['job', 'abort', job]);
    await until(async () => (await uws(['job', 'phase', job])).includes('ABORTED'));
    expect(await uws(['job', 'delete', job])).toContain('successfully deleted');
    expect(await uws(['job', 'show', job])).toContain('Resource does not exist');
  });

  test('tells its user the status of a refusal, and not its reason', async () => {
    expect(await uws(['job', 'new', 'OFFER=none'])).toContain('No permission to access');
    expect(await uws(['list'], { password: 'wrong' })).toContain('You are not authorized');
  });
});
