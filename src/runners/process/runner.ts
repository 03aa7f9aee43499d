import type { RunId } from '../../words/run-id.ts';
import type { Observation, Outcome, Runner, StopReason } from '../port.ts';
import { noteStop, readOutcome, stopFor, type Stop } from '../run/outcome.ts';
import { openRuns } from '../run/runs.ts';
import { isolationOf } from './start/confinement.ts';
import type { JobHost } from './start/host.ts';
import { describeIsolation } from './start/isolation.ts';
import { forestallRun, launch, letGoOf } from './start/launch.ts';
import type { RunMethod } from './start/run-method.ts';
import { startRunMonitor } from './supervise/run-monitor.ts';
import { findRun, isAlive, untilBegun, type Run } from './supervise/run.ts';
import { killRun } from './supervise/kill.ts';
import { settleRun } from './supervise/settle.ts';

/**
 * A runner whose jobs are processes of this machine. What it knows of a job is in the job's
 * directory and in /proc; this process keeps only what saves work.
 */
export function localRunner(jobHost: JobHost, method: RunMethod): Runner {
  const letGo = letGoOf(jobHost, method.devices);
  const runs = openRuns(jobHost.jobsRoot, letGo);
  const { placeOf, starting, settling, tell } = runs;
  const isolation = isolationOf(jobHost, method);

  const finish = async (job: RunId): Promise<Outcome> => {
    const wasWatched = monitor.forget(job);
    const outcome = await settling.do(job, () => settleRun(placeOf(job), method, jobHost));
    if (wasWatched) tell(job);
    return outcome;
  };

  const endRun = async (job: RunId, run: Run, stop: Stop): Promise<void> => {
    const place = placeOf(job);
    await noteStop(place, stop);
    await killRun(jobHost, place, run);
    await finish(job);
  };

  const monitor = startRunMonitor({
    placeOf,
    onOver: endRun,
    onGone: async (job) => void (await finish(job)),
  });

  const look = async (job: RunId): Promise<Observation> => {
    if (starting.now(job) !== undefined) return { state: 'running' };
    const place = placeOf(job);
    const outcome = await readOutcome(place);
    if (outcome !== undefined) return { state: 'ended', outcome };
    const run = await findRun(place);
    if (run === 'absent') return { state: 'absent' };
    if (run === 'starting') return { state: 'running' };
    if (run !== 'lost' && isAlive(run)) {
      monitor.watch(job, run);
      return { state: 'running' };
    }
    return { state: 'ended', outcome: await finish(job) };
  };

  const submitNew: Runner['submit'] = async (workload) => {
    const { job } = workload;
    const child = await launch(jobHost, method, workload, placeOf(job));
    const run = await findRun(placeOf(job));
    if (child === undefined || typeof run === 'string') return tell(job);
    monitor.watch(job, run);
    // Ours may have ended because another executor's script had begun the run before.
    const end = (): void => {
      if (monitor.has(job) && !isAlive(run)) void finish(job).catch(() => {});
    };
    child.once('exit', end);
    if (child.exitCode !== null || child.signalCode !== null) end();
    child.unref();
    return undefined;
  };

  const stop = async (job: RunId, reason: StopReason): Promise<void> => {
    await starting.now(job)?.catch(() => undefined);
    const place = placeOf(job);
    if ((await findRun(place)) === 'absent') {
      await runs.closePlace(job);
      if (await forestallRun(place, letGo)) return;
    }
    const run = await untilBegun(place);
    if (run === undefined || !isAlive(run)) return;
    await endRun(job, run, stopFor(reason, run.record.limits));
  };

  return {
    name: method.name,
    reach: 'host',
    isolation: describeIsolation(isolation),
    submit: (workload) =>
      starting.do(workload.job, async () => {
        if ((await look(workload.job)).state === 'absent') await submitNew(workload);
      }),
    look,
    stop,
    remove: async (job) => {
      await stop(job, 'cancelled');
      if (!(await runs.closePlace(job))) return;
      // A lost run may have left processes, and a user that is still lent: a look settles it.
      await look(job);
      await runs.discard(job);
    },
    forget: async (job) => void monitor.forget(job),
    onEnded: runs.onEnded,
    close: async () => {
      monitor.close();
      await runs.settled();
    },
  };
}
