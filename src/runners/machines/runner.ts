import { existsSync } from 'node:fs';
import type { JobId } from '../../words/ids.ts';
import { jobOfRun } from '../../words/run-id.ts';
import type { Assignment, JobRunner, Observation, Outcome, Runner, StopReason } from '../port.ts';
import { directoryOf, rootOf, writeJsonOnce } from '../run/directory.ts';
import { discard } from '../run/draft.ts';
import { failedRun, readOutcome, STOPPED_BEFORE } from '../run/outcome.ts';
import { sharedWork } from '../../words/shared-work.ts';
import { ClaimLost } from '../claim-lost.ts';
import { GiveAgain, isPassing } from '../passing.ts';
import { errorText } from '../../words/system-error.ts';
import { limitConcurrency } from '../../words/concurrency.ts';
import { combinedOutcome, culpritOf, stateOf, type Ended } from './combined.ts';
import { writeMachineList, noteSent, readMachineList, type MachineList } from './machine-list.ts';

/** Machines of one job that are begun at the same time. */
const AT_ONCE = 4;

/** The outcome of a machine that the engine had and no longer knows. */
const LOST: Outcome = failedRun('run-lost', 'the engine no longer knows it');

/**
 * Runs jobs of several machines: each machine is a run of its own, with a directory inside the
 * job's. When one machine fails, the others are stopped. A job of one machine is that run. What is
 * known of a job is in its directory and with the engine; this process keeps only which jobs it is
 * just beginning.
 *
 * @param jobsRoot directory of all jobs, which the runner uses too
 * @param engine which one the records of its runs name
 */
export function jobRunner(runner: Runner, jobsRoot: string, engine?: string): JobRunner {
  const starting = sharedWork<JobId, void>();
  /** jobs whose machines are being stopped */
  const falling = new Set<JobId>();
  const outcomeOf = async (job: JobId): Promise<Outcome | undefined> =>
    readOutcome(directoryOf(jobsRoot, job));
  const isStopped = (job: JobId): boolean => existsSync(directoryOf(jobsRoot, job).stopped);

  /**
   * Stops all machines after one failed, since nobody needs the others. Each of them tells when it
   * is over.
   */
  const fell = (job: JobId, { runs }: MachineList): void => {
    if (falling.has(job)) return;
    falling.add(job);
    // The next look asks the engine again.
    void Promise.allSettled(runs.map((run) => runner.stop(run, 'cancelled'))).finally(() =>
      falling.delete(job),
    );
  };

  const lookAtMachines = async (job: JobId, list: MachineList): Promise<Observation> => {
    const known = await outcomeOf(job);
    if (known !== undefined) return { state: 'ended', outcome: known };
    const isWaitedFor = starting.now(job) !== undefined;
    const seen = await Promise.all(list.runs.map((run) => runner.look(run)));
    const going = seen.filter(({ state }) => state !== 'ended' && state !== 'absent');
    const stopped = isStopped(job);
    const isMissing = seen.some(({ state }) => state === 'absent');
    if (isMissing && isWaitedFor) return stateOf(seen);
    if (isMissing && !list.isSent && !stopped) return { state: 'absent' };
    const ended = endedOf(seen, stopped ? STOPPED_BEFORE : LOST);
    if (going.length === 0) {
      const outcome = combinedOutcome(ended);
      await writeJsonOnce(directoryOf(jobsRoot, job).outcome, outcome);
      return { state: 'ended', outcome: (await outcomeOf(job)) ?? outcome };
    }
    if (culpritOf(ended) !== undefined) fell(job, list);
    return stateOf(seen);
  };

  const look = async (job: JobId): Promise<Observation> => {
    const list = await readMachineList(jobsRoot, job);
    return list === undefined ? runner.look(job) : lookAtMachines(job, list);
  };

  /** Whether an attempt before has begun one of them. */
  const anyKnown = async (runs: MachineList['runs']): Promise<boolean> => {
    for (const run of runs) if ((await runner.look(run)).state !== 'absent') return true;
    return false;
  };

  const begin = async ({ job, machines, ...rest }: Assignment): Promise<void> => {
    const turns = limitConcurrency(AT_ONCE);
    const runs = await writeMachineList(jobsRoot, job, machines.length);
    let isBroken = false;
    const tries = await Promise.allSettled(
      machines.map((machine, index) =>
        turns(async () => {
          const run = runs[index];
          if (run === undefined || isBroken || isStopped(job)) return false;
          await runner.submit({ job: run, engine, ...rest, ...machine }).catch((error: unknown) => {
            isBroken = true;
            throw error;
          });
          return true;
        }),
      ),
    );
    const failures = tries.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    if (failures.length === 0) return noteSent(jobsRoot, job);
    const isBegun =
      tries.some((one) => one.status === 'fulfilled' && one.value) || (await anyKnown(runs));
    // Machines that have begun go on, and the others are given again.
    if (isBegun && failures.every(isPassing))
      throw new GiveAgain(errorText(failures[0]), { cause: failures[0] });
    throw (
      failures.find((one) => one instanceof ClaimLost) ??
      failures.find((one) => one instanceof GiveAgain) ??
      failures.find((one) => !isPassing(one)) ??
      failures[0]
    );
  };

  const stop = async (job: JobId, reason: StopReason): Promise<void> => {
    const list = await readMachineList(jobsRoot, job);
    const beginning = starting.now(job);
    if (list === undefined) await runner.stop(job, reason);
    else {
      if ((await outcomeOf(job)) === undefined)
        await writeJsonOnce(directoryOf(jobsRoot, job).stopped, {
          reason,
          message: 'stopped on request',
        });
      await Promise.all(list.runs.map((run) => runner.stop(run, reason)));
    }
    // A machine that was being given to the engine meanwhile is stopped now.
    if (beginning === undefined) return;
    await beginning.catch(() => undefined);
    await stop(job, reason);
  };

  const {
    submit: _submit,
    look: _look,
    stop: _stop,
    remove: _remove,
    forget: _forget,
    onEnded: _onEnded,
    ...rest
  } = runner;
  return {
    ...rest,
    engine,
    submit: async (assignment) => {
      const { machines, ...what } = assignment;
      const [first, ...others] = machines;
      if (others.length === 0) return runner.submit({ engine, ...what, ...first });
      return starting.do(what.job, async () => {
        if ((await outcomeOf(what.job)) === undefined) await begin(assignment);
      });
    },
    look,
    stop,
    remove: async (job) => {
      if (starting.now(job) !== undefined) await stop(job, 'cancelled');
      const list = await readMachineList(jobsRoot, job);
      if (list === undefined) return runner.remove(job);
      await stop(job, 'cancelled');
      for (const run of list.runs) await runner.remove(run);
      await discard(jobsRoot, rootOf(jobsRoot, job));
    },
    forget: async (job) => {
      const list = await readMachineList(jobsRoot, job);
      for (const run of list?.runs ?? [job]) await runner.forget(run);
    },
    onEnded: (listener) => runner.onEnded((run) => listener(jobOfRun(run).job)),
  };
}

function endedOf(seen: readonly Observation[], ofAbsent: Outcome): readonly Ended[] {
  return seen.flatMap((one, machine): readonly Ended[] => {
    if (one.state === 'ended') return [{ machine, outcome: one.outcome }];
    return one.state === 'absent' ? [{ machine, outcome: ofAbsent }] : [];
  });
}
