import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Claim, Limits, Outcome, Runner, Workload } from '../../runners/port.ts';
import type { Content } from '../../storage/content.ts';
import type { Volume } from '../../tasks/volumes.ts';
import type { Task } from '../../tasks/task.ts';
import { parseOfferId, type JobId } from '../../words/ids.ts';
import type { RunId } from '../../words/run-id.ts';
import { mebibytes, millicores, seconds } from '../../words/units.ts';

export function newJob(): JobId {
  const job = parseOfferId(randomUUID());
  if (job === undefined) throw new Error('a random UUID is an id');
  return job;
}

/** A claim that nobody contests. */
export const HELD: Claim = { attempt: 1, isHeld: async () => true };

type Asked = {
  cores?: number;
  memory?: number;
  scratch?: number;
  wallTime?: number;
  volumes?: readonly Volume[];
  contents?: readonly Content[];
};

export function workload(task: Task, asked: Asked = {}): Workload {
  const limits: Limits = {
    cores: millicores((asked.cores ?? 1) * 1000),
    memory: mebibytes(asked.memory ?? 512),
    scratch: mebibytes(asked.scratch ?? 64),
    // Longer than anything takes on a busy machine; tests of the limit set their own.
    wallTime: seconds(asked.wallTime ?? 1800),
  };
  return {
    job: newJob(),
    claim: HELD,
    task,
    limits,
    volumes: asked.volumes ?? [],
    contents: asked.contents ?? [],
  };
}

export function shell(
  script: string,
  asked: Asked & { environment?: Record<string, string> } = {},
): Workload {
  return workload(
    {
      type: 'executable',
      command: ['/bin/sh', '-c', script],
      environment: asked.environment ?? {},
    },
    asked,
  );
}

/** Polls until the job has ended. */
export async function ended(
  runner: Pick<Runner, 'look'>,
  job: RunId,
  patience = 300_000,
): Promise<Outcome> {
  for (const end = performance.now() + patience; performance.now() < end; await delay(20)) {
    const seen = await runner.look(job);
    if (seen.state === 'ended') return seen.outcome;
    if (seen.state === 'absent') throw new Error('the job is absent');
  }
  throw new Error('the job did not end');
}

export async function runToEnd(runner: Runner, work: Workload): Promise<Outcome> {
  await runner.submit(work);
  return ended(runner, work.job);
}

/** Waits until something is true. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
): Promise<void> {
  for (const end = performance.now() + 300_000; performance.now() < end; await delay(20))
    if (await condition()) return;
  throw new Error(`never happened: ${what}`);
}

/** Stops or removes a job; repeats it, like the executor, while the engine still holds the job. */
export async function patiently(end: () => Promise<void>, longest = 300_000): Promise<void> {
  for (const late = performance.now() + longest; ; await delay(500)) {
    const refused = await end().then(
      () => undefined,
      (error: unknown) => error,
    );
    if (refused === undefined) return;
    if (performance.now() > late) throw refused;
  }
}
