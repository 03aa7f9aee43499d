import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { needs } from '../../engines/packages.ts';
import { withEngine } from '../../engines/summary.ts';
import { VOTABLE } from '../../uws/clients/votable.ts';
import { ADA, startFriendly, type Friendly } from './service.ts';

const run = promisify(execFile);
const PROGRAM = fileURLToPath(new URL('Topcat.java', import.meta.url));
const CLASSES = '/usr/share/java/starlink-vo.jar';
const PASSWORD = [`-Dstar.basicauth.user=${ADA.user}`, `-Dstar.basicauth.password=${ADA.password}`];

withEngine("TOPCAT's UwsJob", needs('stilts', 'default-jdk-headless'), () => {
  let service: Friendly;
  beforeAll(async () => {
    service = await startFriendly();
  });
  afterAll(() => service?.close());

  const java = (credential: readonly string[], ...words: readonly string[]) =>
    run('java', [...credential, '-cp', CLASSES, PROGRAM, `${service.url}/async`, ...words]);

  test('creates, starts, waits, lists results, aborts and deletes with a password', async () => {
    const { stdout } = await java(
      PASSWORD,
      await service.accepted(['sh', '-c', 'sleep 1; echo 1 > stars.csv'], 'client'),
      await service.accepted(['sleep', '600']),
    );
    expect(stdout.trim().split('\n')).toEqual([
      'created: PENDING',
      'duration: 60',
      'started: RUNNING',
      'changed: true',
      'over: COMPLETED',
      'results: result stdout stderr stars.csv',
      'aborted: ABORTED',
      expect.stringMatching(/^deleted: .*404/),
    ]);
  });

  test('is refused without one', async () => {
    await expect(java([], 'x', 'x')).rejects.toMatchObject({
      stderr: expect.stringContaining('401 Unauthorized'),
    });
  });

  test('sends none where anonymous clients are allowed, since Java waits for a 401', async () => {
    const open = await startFriendly(true);
    try {
      const job = `${open.url}/async/${await open.accepted(['printf', '%s', VOTABLE])}`;
      const words = ['tapresume', `joburl=${job}`, 'poll=1000', 'progress=false'];
      await expect(run('stilts', [...PASSWORD, ...words])).rejects.toMatchObject({
        stderr: expect.stringContaining('403'),
      });
    } finally {
      await open.close();
    }
  });

  test('lets STILTS resume a job of its user', async () => {
    const job = await service.accepted(['printf', '%s', VOTABLE]);
    const { stdout } = await run('stilts', [
      ...PASSWORD,
      'tapresume',
      `joburl=${service.url}/async/${job}`,
      'poll=1000',
      'progress=false',
      'ofmt=csv',
      'delete=never',
    ]);
    expect(stdout).toBe('magnitude\n17.5\n21.25\n');
  });
});
