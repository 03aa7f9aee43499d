import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openQueue } from '../../../src/runners/batch/queue.ts';
import {
  BatchRefusal,
  BatchUnreachable,
  type BatchJob,
  type BatchRequest,
} from '../../../src/runners/batch/system.ts';
import { directoryOf } from '../../../src/runners/run/directory.ts';
import type { RunId } from '../../../src/words/run-id.ts';
import { seconds } from '../../../src/words/units.ts';
import { newJob, removeRoot, temporaryRoot } from '../workloads.ts';

let root: string;
let queue: ReturnType<typeof openQueue>;
/** What the system lists. */
let listed: readonly BatchJob[];
/** What a cancel says; undefined: it is heard. */
let refusal: Error | undefined;
let cancelled: readonly number[];
let ended: readonly RunId[];

beforeEach(() => {
  root = temporaryRoot();
  [listed, refusal, cancelled, ended] = [[], undefined, [], []];
  let sent = 0;
  queue = openQueue({
    system: {
      name: 'slurm',
      title: 'Slurm',
      idVariable: 'SLURM_JOB_ID',
      given: [],
      submit: async () => (sent += 1),
      jobs: async () => listed,
      cancel: async (id) => {
        if (refusal !== undefined) throw refusal;
        cancelled = [...cancelled, id];
      },
      probe: async () => undefined,
    },
    limits: { longestWait: seconds(100), unreachableLimit: seconds(100) },
    placeOf: (job) => directoryOf(root, job),
    onOver: async (job) => {
      ended = [...ended, job];
    },
    onMoved: () => undefined,
  });
});
afterEach(async () => {
  await queue.close();
  removeRoot(root);
});

/** Sends a job. Systems number jobs from 1. */
async function send(): Promise<RunId> {
  const job = newJob();
  mkdirSync(join(root, job, 'node'), { recursive: true });
  const request: BatchRequest = {
    name: job,
    script: '',
    directory: '/',
    reservation: undefined,
    begin: undefined,
    stdout: '/dev/null',
    stderr: '/dev/null',
    steps: undefined,
    minutes: 1,
    cpus: 1,
    memory: 1,
    gres: undefined,
  };
  await queue.send(job, { request, since: Date.now() });
  return job;
}

function lists(id: number, name: RunId, phase: BatchJob['phase']): BatchJob {
  return { id, name, phase, state: phase, reason: '' };
}

/** What the system lists after everything that was done before. */
async function round(...jobs: readonly BatchJob[]): Promise<void> {
  await delay(5);
  listed = jobs;
  await queue.round();
}

test.each([
  ['refuses', new BatchRefusal('disabled')],
  ['does not hear', new BatchUnreachable('socket timed out')],
])(
  'a cancel that the system %s is tried again, and keeps no other job from its end',
  async (_what, error) => {
    const [first, second] = [await send(), await send()];
    await round(lists(1, first, 'cancelled'), lists(2, second, 'running'));
    expect(ended).toEqual([first]);
    // An executor that stood still sends it once more.
    refusal = error;
    await round(lists(3, first, 'queued'), lists(2, second, 'cancelled'));
    expect([ended, cancelled]).toEqual([[first, second], []]);
    refusal = undefined;
    await round(lists(3, first, 'queued'));
    expect(cancelled).toEqual([3]);
  },
);

test('a job ends though one that was sent in its place, and can never begin, cannot be cancelled', async () => {
  const job = await send();
  writeFileSync(join(root, job, 'node/status'), 'start 1\n');
  refusal = new BatchRefusal('disabled');
  await round(lists(1, job, 'running'), lists(2, job, 'queued'));
  await round(lists(1, job, 'cancelled'), lists(2, job, 'queued'));
  expect(ended).toEqual([job]);
  refusal = undefined;
  await round(lists(2, job, 'queued'));
  expect(cancelled).toEqual([2]);
});
