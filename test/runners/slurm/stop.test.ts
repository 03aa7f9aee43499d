import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { BatchUnreachable } from '../../../src/runners/batch/system.ts';
import type { Runner, Workload } from '../../../src/runners/port.ts';
import type { SlurmClient, SlurmJob } from '../../../src/runners/slurm/client.ts';
import { slurmRunner } from '../../../src/runners/slurm-runner.ts';
import { asRoot, patiently, removeRoot, shell, temporaryRoot } from '../workloads.ts';
import { slurmSettings } from './settings.ts';

const root = temporaryRoot();
/** What Slurm lists, by the name of a job. */
const listed = new Map<string, SlurmJob>();
let isReached = true;
let runner: Runner;
beforeAll(() => {
  const client: SlurmClient = {
    submit: async ({ name }) => {
      const id = listed.size + 1;
      listed.set(name, { id, name, state: 'RUNNING', reason: 'None' });
      return id;
    },
    jobs: async () => [...listed.values()],
    cancel: async () => {
      if (!isReached) throw new BatchUnreachable('socket timed out');
    },
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

/** Slurm tells another state of a job. */
function tells({ job }: Workload, state: string): void {
  const name = `vo-${job}`;
  const known = listed.get(name);
  if (known === undefined) throw new Error(`${name} was not submitted`);
  listed.set(name, { ...known, state });
}

/** What stopping and what removing a job said. */
function refusals({ job }: Workload): Promise<readonly unknown[]> {
  const ends = [runner.stop(job, 'cancelled'), runner.remove(job)];
  return Promise.all(
    ends.map((end) =>
      end.then(
        () => 'done',
        ({ message }: Error) => message,
      ),
    ),
  );
}

test('a stop of a job that Slurm has not ended says so, and the next one finds it over', async () => {
  const completing = shell('sleep 300');
  await runner.submit(completing);
  tells(completing, 'COMPLETING');
  const notYet = `Slurm has not ended ${completing.job} yet`;
  expect(await refusals(completing)).toEqual([notYet, notYet]);
  expect(await runner.look(completing.job)).toEqual({ state: 'running' });
  tells(completing, 'CANCELLED');
  await patiently(() => runner.stop(completing.job, 'cancelled'));
  expect(await runner.look(completing.job)).toMatchObject({
    state: 'ended',
    outcome: { kind: 'stopped', reason: 'cancelled' },
  });
});

test('a stop that Slurm did not hear of is none', async () => {
  const work = shell('sleep 300');
  await runner.submit(work);
  isReached = false;
  const notYet = `Slurm has not ended ${work.job} yet`;
  expect(await refusals(work)).toEqual([notYet, notYet]);
  isReached = true;
  tells(work, 'CANCELLED');
  await patiently(() => runner.remove(work.job));
  expect(await runner.look(work.job)).toEqual({ state: 'absent' });
});
