import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { BatchUnreachable } from '../../../src/runners/batch/system.ts';
import type { Runner } from '../../../src/runners/port.ts';
import type { SlurmClient, SlurmJob } from '../../../src/runners/slurm/client.ts';
import { slurmRunner } from '../../../src/runners/slurm-runner.ts';
import type { RunId } from '../../../src/words/run-id.ts';
import { seconds } from '../../../src/words/units.ts';
import { asRoot, ended, removeRoot, shell, temporaryRoot } from '../workloads.ts';
import { slurmSettings } from './settings.ts';

let root: string;
let isAway: boolean;
let listed: readonly SlurmJob[];

beforeEach(() => {
  root = temporaryRoot();
  [isAway, listed] = [false, []];
});
afterEach(() => removeRoot(root));

test.each(['stop', 'remove'] as const)(
  'a run that another executor gave up is over at Slurm after a %s, which fails while Slurm is away',
  async (what) => {
    const job = await givenUp();
    const next = open();
    const end = () => (what === 'stop' ? next.stop(job, 'cancelled') : next.remove(job));
    await expect(end()).rejects.toThrow('socket timed out');
    isAway = false;
    await end();
    expect(listed.map(({ state }) => state)).toEqual(['CANCELLED']);
    expect(await next.look(job)).toMatchObject(
      what === 'stop' ? { outcome: { code: 'run-lost' } } : { state: 'absent' },
    );
    await next.close();
  },
);

test('a run that was to be stopped while Slurm was away is lost, and over at Slurm after the next stop', async () => {
  const first = open();
  const job = await begun(first);
  isAway = true;
  await first.stop(job, 'cancelled');
  expect(await first.look(job)).toMatchObject({ outcome: { code: 'run-lost' } });
  await first.close();
  isAway = false;
  const next = open();
  await next.stop(job, 'cancelled');
  expect(listed.map(({ state }) => state)).toEqual(['CANCELLED']);
  await next.close();
});

/** A run that an executor gave up, since Slurm was away, before it ended itself. */
async function givenUp(): Promise<RunId> {
  const runner = open();
  const job = await begun(runner);
  isAway = true;
  expect(await ended(runner, job)).toMatchObject({ code: 'run-lost' });
  await runner.close();
  expect(listed.map(({ state }) => state)).toEqual(['RUNNING']);
  return job;
}

/** A run that has begun on its node. */
async function begun(runner: Runner): Promise<RunId> {
  const { job, ...work } = shell('sleep 300');
  await runner.submit({ job, ...work });
  mkdirSync(join(root, job, 'node/begun'));
  writeFileSync(join(root, job, 'node/status'), 'start 1\n');
  return job;
}

function open(): Runner {
  const settings = slurmSettings({
    access: { transport: 'cli', conf: undefined, bin: undefined },
    user: asRoot ? 'nobody' : undefined,
    unreachableLimit: seconds(0),
  });
  const urls = { allowHosts: [], fileRoots: [] };
  return slurmRunner(settings, { jobsRoot: root, urls }, client());
}

function client(): SlurmClient {
  const answer = async (): Promise<void> => {
    if (isAway) throw new BatchUnreachable('socket timed out');
  };
  return {
    submit: async ({ name }) => {
      await answer();
      listed = [{ id: 1, name, state: 'RUNNING', reason: 'None' }];
      return 1;
    },
    jobs: async () => {
      await answer();
      return listed;
    },
    cancel: async () => {
      await answer();
      listed = listed.map((job) => ({ ...job, state: 'CANCELLED' }));
    },
    predict: async () => undefined,
    probe: answer,
  };
}
