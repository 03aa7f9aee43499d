import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { firstOffer, sendAccept, sendJob } from '../../src/cli/conversation.ts';
import { needs } from '../engines/packages.ts';
import { withEngine } from '../engines/summary.ts';
import { startWholeService, type WholeService } from '../harness/whole-service.ts';
import { processDestination } from '../harness/site.ts';
import { VOTABLE } from '../uws/clients/votable.ts';

const run = promisify(execFile);
const EXECUTABLE = 'https://www.purl.org/ivoa-net/task-type/executable';

withEngine('STILTS', needs('stilts'), () => {
  let service: WholeService;
  beforeAll(async () => {
    service = await startWholeService({
      site: {
        rules: ['rules.yml'],
        destinations: { a: processDestination({ cores: 16, memory: '64GiB', scratch: '800GiB' }) },
      },
      rules: { destinations: { a: { runner: 'process' } } },
    });
  });
  afterAll(() => service?.close());

  /** The job of an accepted offer for a command; it may have begun. */
  const jobFor = async (command: readonly string[], list: 'jobs' | 'async'): Promise<string> => {
    const offer = firstOffer(await service.ask({ task: { type: EXECUTABLE, spec: { command } } }));
    await sendAccept(offer);
    return (await sendJob(offer)).replace('/jobs/', `/${list}/`);
  };
  const tapresume = (job: string, ...words: readonly string[]) =>
    run(
      'stilts',
      ['tapresume', `joburl=${job}`, 'poll=1000', 'progress=false', 'ofmt=csv', ...words],
      { timeout: 300_000 },
    );

  test.each(['jobs', 'async'] as const)(
    'joins a job that is on its way below /%s, waits, reads its table and leaves the job there',
    async (list) => {
      const job = await jobFor(['sh', '-c', 'sleep 2; printf "%s" "$0"', VOTABLE], list);
      const { stdout } = await tapresume(job, 'delete=never');
      expect(stdout).toBe('magnitude\n17.5\n21.25\n');
      expect((await fetch(`${job}/phase`)).status).toBe(200);
    },
  );

  test('reads the table that a program left as its only file, and deletes the job', async () => {
    const job = await jobFor(
      ['sh', '-c', 'echo working; printf "%s" "$0" > table.vot', VOTABLE],
      'async',
    );
    expect((await tapresume(job, 'delete=always')).stdout).toBe('magnitude\n17.5\n21.25\n');
    expect((await fetch(job)).status).toBe(404);
  });

  test('says that a job has failed', async () => {
    const job = await jobFor(['sh', '-c', 'echo no such galaxy >&2; exit 3'], 'async');
    await expect(tapresume(job, 'delete=never')).rejects.toMatchObject({
      stderr: expect.stringContaining('TAP Execution error'),
    });
  });
});
