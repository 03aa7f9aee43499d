import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Task } from '../../tasks/task.ts';
import type { RunId } from '../../words/run-id.ts';
import type { Observation, Outcome, Runner, StopReason } from '../port.ts';
import { directoryOf, readJson, takeStart, writeJsonOnce, type JobDirectory } from '../run/directory.ts';
import { discard, discardDrafts } from '../run/draft.ts';
import type { JobHost } from './start/host.ts';
import { describeIsolation } from './start/isolation.ts';
import { launch, letGoOf } from './start/launch.ts';
import { parseOutcome, STOPPED_BEFORE, stopMessage, type Stop } from '../run/outcome.ts';
import { supervise } from './supervise/patrol.ts';
import { parseRecord } from '../run/record.ts';
import { findRun, isAlive, type Run } from './supervise/run.ts';
import { proofOf, settleRun } from './supervise/settle.ts';
import { signal } from './supervise/signal.ts';
import { killTree } from './supervise/tree.ts';
import { isolationOf } from './start/confinement.ts';
import type { RunMethod } from './start/run-method.ts';

/** What a site sees of a runner that uses this machine. */
export type LocalDescription = {
  readonly name: string;
  readonly runs: readonly Task['type'][];
  /**
   * `own`: each running job has an unprivileged user of its own; `service`:
   * jobs run as the service's user
   */
  readonly users: 'own' | 'service';
  /** `none`: jobs have no network; `host`: they have that of the machine */
  readonly network: 'none' | 'host';
  /** for example `bubblewrap + cgroup v2` */
  readonly isolation: string;
  readonly jobsRoot: string;
};

/** A runner whose jobs are processes of this machine. */
export type LocalRunner = Runner & { readonly describe: () => LocalDescription };

/**
 * The runner of one way on this machine. What it knows of a job is in the job's directory and
 * in /proc; this process keeps only what saves work: which launches and settlements are under
 * way, and which runs to look after.
 */
export function localRunner(jobHost: JobHost, method: RunMethod): LocalRunner {
  const starting = new Map<RunId, Promise<void>>();
  const settling = new Map<RunId, Promise<Outcome>>();
  const listeners: ((job: RunId) => void)[] = [];
  const placeOf = (job: RunId): JobDirectory => directoryOf(jobHost.jobsRoot, job);
  const isolation = isolationOf(jobHost, method);

  const settleOnce = async (job: RunId): Promise<Outcome> => {
    const under =
      settling.get(job) ??
      settleRun(placeOf(job), method, jobHost).finally(() => settling.delete(job));
    settling.set(job, under);
    return under;
  };

  const finish = async (job: RunId): Promise<Outcome> => {
    const watched = guard.forget(job);
    const outcome = await settleOnce(job);
    if (watched) for (const listener of listeners) listener(job);
    return outcome;
  };

  const endRun = async (job: RunId, run: Run, stop: Stop): Promise<void> => {
    const place = placeOf(job);
    await writeJsonOnce(place.stopped, stop);
    // A script that was about to start its command starts it between two rounds;
    // one that hangs is ended itself.
    for (let round = 0; isAlive(run); round += 1) {
      const { uid, cgroup } = run.record;
      await killTree({
        job,
        script: run.script.pid,
        uid,
        cgroup,
        proof: proofOf(jobHost, run.record),
      });
      for (let waited = 0; waited < 500 && isAlive(run); waited += 20) await delay(20);
      if (round >= 4 && isAlive(run)) signal(run.script.pid, 'SIGKILL');
    }
    await finish(job);
  };

  const guard = supervise({
    placeOf,
    onOver: endRun,
    onGone: async (job) => void (await finish(job)),
  });

  const look = async (job: RunId): Promise<Observation> => {
    if (starting.has(job)) return { state: 'running' };
    const place = placeOf(job);
    const outcome = parseOutcome(await readJson(place.outcome));
    if (outcome !== undefined) return { state: 'ended', outcome };
    const run = await findRun(place);
    if (run === 'absent') return { state: 'absent' };
    if (run === 'starting') return { state: 'running' };
    if (run !== 'lost' && isAlive(run)) {
      guard.watch(job, run);
      return { state: 'running' };
    }
    return { state: 'ended', outcome: await finish(job) };
  };

  const submitNew: Runner['submit'] = async (workload) => {
    const { job } = workload;
    const child = await launch(jobHost, method, workload, placeOf(job));
    const run = await findRun(placeOf(job));
    if (child === undefined || typeof run === 'string') {
      for (const listener of listeners) listener(job);
      return;
    }
    guard.watch(job, run);
    const end = (): void => {
      if (guard.has(job)) void finish(job).catch(() => {});
    };
    child.once('exit', end);
    if (child.exitCode !== null || child.signalCode !== null) end();
    child.unref();
  };

  const letGo = letGoOf(jobHost, method.devices);

  /** Sees to it that a run that has not begun never does. @returns false when it has */
  const forestall = async (job: RunId, place: JobDirectory): Promise<boolean> => {
    await discardDrafts(jobHost.jobsRoot, job, letGo);
    const record = parseRecord(await readJson(place.record));
    if (record === undefined || existsSync(place.outcome)) return true;
    if (!(await takeStart(place))) return false;
    await writeJsonOnce(place.outcome, STOPPED_BEFORE);
    if (record.holder !== undefined) await letGo(record.holder);
    return true;
  };

  /** A script that is about to say that it runs does so at once. */
  const begun = async (place: JobDirectory): Promise<Run | undefined> => {
    for (let waited = 0; waited < 10_000; waited += 20) {
      const run = await findRun(place);
      if (run !== 'starting') return typeof run === 'string' ? undefined : run;
      await delay(20);
    }
    throw new Error(`the launch script of ${place.job} says nothing`);
  };

  const stop = async (job: RunId, reason: StopReason): Promise<void> => {
    await starting.get(job)?.catch(() => undefined);
    const place = placeOf(job);
    if ((await findRun(place)) === 'absent' && (await forestall(job, place))) return;
    const run = await begun(place);
    if (run === undefined || !isAlive(run)) return;
    await endRun(job, run, { reason, message: stopMessage(reason, run.record.limits) });
  };

  return {
    name: method.name,
    reach: 'host',
    isolation: describeIsolation(isolation),
    describe: () => ({
      name: method.name,
      runs: method.runs,
      users: jobHost.users === undefined ? 'service' : 'own',
      network:
        isolation.sandbox === 'bubblewrap'
          ? (method.view?.network ?? 'host')
          : method.isolation.length > 0
            ? 'none'
            : 'host',
      isolation: describeIsolation(isolation),
      jobsRoot: jobHost.jobsRoot,
    }),
    submit: async (workload) => {
      const { job } = workload;
      if (starting.has(job)) return starting.get(job);
      const started = look(job).then(async ({ state }) =>
        state === 'absent' ? submitNew(workload) : undefined,
      );
      starting.set(
        job,
        started.finally(() => starting.delete(job)),
      );
      return starting.get(job);
    },
    look,
    stop,
    remove: async (job) => {
      await stop(job, 'cancelled');
      // From here on nobody can put anything in its place.
      await discardDrafts(jobHost.jobsRoot, job, letGo);
      const { root } = placeOf(job);
      if (!existsSync(root)) return;
      // A lost run is settled by this: it may have left processes, and a user that is still lent.
      await look(job);
      await discard(jobHost.jobsRoot, root);
    },
    forget: async (job) => void guard.forget(job),
    onEnded: (listener) => void listeners.push(listener),
    close: async () => {
      guard.close();
      await Promise.allSettled([...starting.values(), ...settling.values()]);
    },
  };
}
