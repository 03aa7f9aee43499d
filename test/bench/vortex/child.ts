import { readFile } from 'node:fs/promises';
import { programOf } from '../../../src/sandbox/program.ts';
import { DecisionQueue } from '../../../src/sandbox/queue.ts';
import type { Jit } from '../../../src/sandbox/sandbox.ts';
import { parseDecision } from '../../../src/vortex/decision-parse.ts';
import { GUEST } from './isolate.ts';
import type { IsolateTask } from './isolate.ts';

/** Times in ms. `cpuMs`: the child's processor time for all requests; NaN without /proc. */
export type ChildTimes = {
  readonly perSecond: number;
  readonly latencies: readonly number[];
  readonly cpuMs: number;
};

/**
 * The same task through the sandbox's hardened child process with several requests in flight;
 * answers are parsed as in the planner. Latencies in ms include the wait in the queue.
 */
export async function throughChild(
  task: Omit<IsolateTask, 'modules'>,
  jit: Jit,
  inFlight: number,
): Promise<ChildTimes> {
  const limits = { memoryMb: task.memoryMb, decisionMs: 5_000, loadMs: 30_000, spare: false };
  const queue = new DecisionQueue(programOf(GUEST), jit, limits);
  try {
    const loaded = await queue.ask({ kind: 'load', request: task.request });
    if (loaded.kind !== 'answer') throw new Error(loaded.message);
    const latencies: number[] = [];
    const round = async (isCounted: boolean): Promise<void> => {
      const jobs = task.jobs.values();
      await Promise.all(
        Array.from({ length: inFlight }, async () => {
          for (const job of jobs) {
            const before = performance.now();
            const answer = await queue.ask({ kind: 'decide', about: task.about, job });
            if (answer.kind !== 'answer') throw new Error(answer.message);
            parseDecision(JSON.parse(answer.answer));
            if (isCounted) latencies.push(performance.now() - before);
          }
        }),
      );
    };
    for (let warmUp = 0; warmUp < task.warmUps; warmUp += 1) await round(false);
    const used = await cpuMsOf(queue.pid());
    const begun = performance.now();
    for (let number = 0; number < task.rounds; number += 1) await round(true);
    const perSecond = latencies.length / ((performance.now() - begun) / 1000);
    return { perSecond, latencies, cpuMs: (await cpuMsOf(queue.pid())) - used };
  } finally {
    await queue.close();
  }
}

/** Processor time of a process so far, ms; Linux counts in hundredths of a second. */
async function cpuMsOf(pid: number | null): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return 10 * (Number(user) + Number(system));
}
