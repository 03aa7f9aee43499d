import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
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

const CLOCKS = [Date.now, performance.now.bind(performance)] as const;
const HOUR_MS = 3_600_000;

let root: string;
let queue: ReturnType<typeof openQueue>;
/** What the system lists. */
let listed: readonly BatchJob[];
/** What a cancel says; undefined: it is heard. */
let refusal: Error | undefined;
/** Why the system gives no list; undefined: it does. */
let silence: Error | undefined;
/** How many requests it got. */
let sent: number;
let cancelled: readonly number[];
let ended: readonly RunId[];
/** The settings of the system. */
let reached: string;

beforeEach(() => {
  root = temporaryRoot();
  [listed, refusal, silence, cancelled, ended] = [[], undefined, undefined, [], []];
  sent = 0;
  reached = 'cluster a';
  queue = openQueue({
    system: {
      name: 'slurm',
      title: 'Slurm',
      get reached() {
        return reached;
      },
      idVariable: 'SLURM_JOB_ID',
      given: [],
      submit: async () => {
        sent += 1;
        if (silence !== undefined) throw silence;
        return sent;
      },
      jobs: async () => {
        if (silence !== undefined) throw silence;
        return listed;
      },
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
  [Date.now, performance.now] = CLOCKS;
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
  await queue.send(job, { request, reached, since: Date.now() });
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

test.each([
  ['the clock is set an hour ahead', () => (Date.now = () => CLOCKS[0]() + HOUR_MS)],
  ['its executor stood still for an hour', () => (performance.now = () => CLOCKS[1]() + HOUR_MS)],
])('a job is not lost because %s while the system is away for a moment', async (_why, happens) => {
  const job = await send();
  await round(lists(1, job, 'running'));
  silence = new BatchUnreachable('socket timed out');
  await queue.round();
  happens();
  await queue.round();
  silence = undefined;
  await round(lists(1, job, 'running'));
  expect(ended).toEqual([]);
});

test('a job of a system that stays away is lost when the limit is over', async () => {
  const job = await send();
  await round(lists(1, job, 'running'));
  silence = new BatchUnreachable('socket timed out');
  for (let seconds = 0; seconds <= 120; seconds += 15) {
    const stands = CLOCKS[1]() + seconds * 1000;
    performance.now = () => stands;
    expect(ended).toEqual([]);
    await queue.round();
    if (seconds > 100) break;
  }
  expect(ended).toEqual([job]);
});

test('a request of which nothing was heard is sent again though the clock was set back', async () => {
  silence = new BatchUnreachable('socket timed out');
  await send();
  silence = undefined;
  Date.now = () => CLOCKS[0]() - HOUR_MS;
  await round();
  expect(sent).toBe(2);
});

describe('a job that was sent by other settings', () => {
  const wait = async (seconds: number): Promise<void> => {
    const stands = performance.now() + seconds * 1000;
    performance.now = () => stands;
    await queue.round();
  };
  const sendBefore = async (status: string): Promise<RunId> => {
    const job = await send();
    writeFileSync(join(root, job, 'node/status'), status);
    reached = 'cluster b';
    await round();
    return job;
  };

  test('and has begun is followed for its whole time, because its node tells how it ends', async () => {
    const job = await sendBefore('start 1\n');
    await wait(70);
    expect([queue.stateOf(job), ended]).toEqual(['unknown', []]);
    await wait(10);
    expect(ended).toEqual([job]);
  });

  test('ends when its node tells so', async () => {
    const job = await sendBefore('start 1\n');
    writeFileSync(join(root, job, 'node/status'), 'start 1\nexit 0\n');
    await queue.round();
    expect(ended).toEqual([job]);
  });

  test('and has not begun is given up after 15 seconds, so that it may be sent anew', async () => {
    const job = await sendBefore('');
    await wait(16);
    expect(ended).toEqual([job]);
  });

  test('is not cancelled by its number, which may be of another job there', async () => {
    const job = await sendBefore('start 1\n');
    expect(await queue.cancel(job, 'politely')).toBe(false);
    expect(cancelled).toEqual([]);
  });

  test('is followed as before when the other settings list it', async () => {
    const job = await sendBefore('start 1\n');
    await round(lists(1, job, 'running'));
    expect([queue.stateOf(job), await queue.cancel(job, 'now'), cancelled]).toEqual([
      'running',
      true,
      [1],
    ]);
  });
});
