import { appendFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { nodeStatus } from '../../../src/runners/batch/script.ts';
import type { Runner, Workload } from '../../../src/runners/port.ts';
import { directoryOf } from '../../../src/runners/run/directory.ts';
import type { SlurmClient, SlurmJob } from '../../../src/runners/slurm/client.ts';
import { slurmRunner } from '../../../src/runners/slurm-runner.ts';
import { asRoot, ended, removeRoot, shell, temporaryRoot, until } from '../workloads.ts';
import { slurmSettings } from './settings.ts';

const root = temporaryRoot();
/** What Slurm lists and what its accounting says, by the number of a job. */
const listed = new Map<number, SlurmJob>();
const recorded = new Map<number, SlurmJob>();
let recalls = 0;
let runner: Runner;
beforeAll(() => {
  const client: SlurmClient = {
    submit: async ({ name }) => {
      const id = listed.size + 1;
      listed.set(id, { id, name, state: 'RUNNING', reason: 'None' });
      return id;
    },
    jobs: async () => [...listed.values()],
    recall: async (id) => {
      recalls += 1;
      return recorded.get(id);
    },
    cancel: async () => undefined,
    predict: async () => undefined,
    probe: async () => undefined,
  };
  const settings = slurmSettings({
    access: { transport: 'cli', conf: undefined, bin: undefined },
    user: asRoot ? 'nobody' : undefined,
  });
  const urls = { allowHosts: [], fileRoots: [] };
  runner = slurmRunner(settings, { jobsRoot: root, urls }, client);
});
afterAll(async () => {
  await runner.close();
  removeRoot(root);
});

/** Runs a job whose node tells this, until Slurm lists it as failed. @returns how it was listed */
async function failed(work: Workload, told: (id: number) => string): Promise<SlurmJob> {
  await runner.submit(work);
  const job = [...listed.values()].at(-1);
  if (job === undefined) throw new Error(`${work.job} was not submitted`);
  appendFileSync(nodeStatus(directoryOf(root, work.job)), told(job.id));
  const over = { ...job, state: 'FAILED' };
  listed.set(job.id, over);
  return over;
}

test('a job that is over without an exit status ended as its record says, though that comes late', async () => {
  const work = shell('sleep 300');
  const before = recalls;
  const job = await failed(work, (id) => `start ${id}\n`);
  await until(() => recalls > before + 1, 'a second question for its record');
  recorded.set(job.id, { ...job, state: 'OUT_OF_MEMORY' });
  expect(await ended(runner, work.job)).toMatchObject({ kind: 'stopped', reason: 'memory' });
});

test('the record of a job is not asked for where its node tells how it ended', async () => {
  const before = recalls;
  const work = shell('exit 3');
  const job = await failed(work, (id) => `start ${id}\nexit 3\n`);
  recorded.set(job.id, { ...job, state: 'OUT_OF_MEMORY' });
  expect(await ended(runner, work.job)).toMatchObject({ kind: 'failed', code: 'task-failed' });
  expect(recalls).toBe(before);
});
