import { setTimeout as after } from 'node:timers/promises';
import type { Promised } from '../planner/offer.ts';
import type { JobRunner, Outcome } from '../runners/port.ts';
import { STOPPED_BEFORE } from '../runners/run/outcome.ts';
import type { JobId } from '../words/ids.ts';
import type { ClaimedAttempt, ClaimedJob, KeptLease } from './claims/attempts.ts';
import { lostRun } from './ending.ts';
import { openJobRecord, type Going, type JobRecord, type JobRecordParts } from './job-record.ts';

/** A job that this executor holds and follows. */
export type HeldJob = {
  readonly claimed: ClaimedAttempt;
  readonly runner: JobRunner;
  readonly promise: Promised;
  /** the engine has all of it; until then it is being prepared, and would be given again */
  isGiven: boolean;
  /** what the book says of it */
  shown: Going | undefined;
  /** gives it to the engine once more; undefined unless the engine could not be asked last time */
  giveAgain: (() => Promise<void>) | undefined;
  /** it was to be stopped: when the engine knows nothing of it then, it was stopped before it began */
  isAborted: boolean;
  /** ends its preparation when it is to be stopped */
  readonly stopping: AbortController;
  /** the log says that its engine takes its time to end it */
  isWarned: boolean;
};

/** The jobs that this executor holds, and their ends. */
export type HeldJobs = {
  readonly has: (job: JobId) => boolean;
  readonly hold: (job: ClaimedJob, runner: JobRunner, isGiven: boolean) => HeldJob;
  /** Forgets a job under this attempt; one that we took again meanwhile stays. */
  readonly release: (claimed: ClaimedAttempt) => void;
  /** Forgets a job under any attempt. */
  readonly forget: (job: JobId) => void;
  readonly finish: JobRecord['finish'];
  /** Ends a job in the book of which some machines may have been begun, and stops those. */
  readonly finishIncomplete: (entry: HeldJob, outcome: Outcome) => Promise<void>;
  /**
   * Looks at a job; ends it in the book once the engine says that it is over.
   * @throws what the engine or the book threw
   */
  readonly lookAt: (job: JobId) => Promise<void>;
  /** The same when nobody waits for it: the next beat looks again after a failure. */
  readonly settle: (job: JobId) => Promise<void>;
  /** Stops a job now, if it is held. */
  readonly abort: (job: JobId) => Promise<void>;
  /** Renews the leases, and stops what is to be stopped. */
  readonly keep: () => Promise<void>;
  readonly clear: () => void;
};

export type HeldJobsParts = Omit<JobRecordParts, 'release'>;

/** With a beat each 2 s, a lease of 10 s is renewed after 5 s at the latest. */
const PATIENCE_MS = 3000;

/** Everything that must survive `kill -9` is in the book or in the runner; here is who is held. */
export function holdJobs({ claims, keeping, log }: HeldJobsParts): HeldJobs {
  const held = new Map<JobId, HeldJob>();
  const settling = new Set<JobId>();
  /** Jobs whose engine has not answered yet what a beat before asked. */
  const slow = new Set<JobId>();
  /** Jobs that ended, or might have, during a look: what that look saw can be older. */
  const lookAgain = new Set<JobId>();

  const release = ({ id, attempt }: ClaimedAttempt): void => {
    if (held.get(id)?.claimed.attempt === attempt) held.delete(id);
  };

  const { finish, show } = openJobRecord({ claims, log, release, ...(keeping && { keeping }) });

  /** The next beat finds that it is over, and stops it again, until the engine has let go. */
  const finishIncomplete = async (entry: HeldJob, outcome: Outcome): Promise<void> => {
    const { claimed } = entry;
    if ((await finish(claimed, outcome)) && !(await stopOnce(entry))) held.set(claimed.id, entry);
  };

  /** Ends a job of which the engine has nothing. */
  const vanished = (entry: HeldJob): Promise<void> =>
    finishIncomplete(
      entry,
      entry.isAborted ? STOPPED_BEFORE : lostRun('the engine no longer knows it'),
    );

  const lookOnce = async (job: JobId, entry: HeldJob): Promise<void> => {
    // Of what is given meanwhile the engine may have had nothing yet when it answered.
    const { isGiven } = entry;
    const seen = await entry.runner.look(job);
    if (seen.state === 'ended') await finish(entry.claimed, seen.outcome, entry.promise);
    // Nobody gives it any more, since it is to be stopped.
    else if (seen.state === 'absent' && entry.isAborted && entry.giveAgain !== undefined)
      await vanished(entry);
    // A job that is still being given stays as it is in the book, so that whoever comes after us
    // goes on with giving it.
    else if (isGiven) await (seen.state === 'absent' ? vanished(entry) : show(entry, seen.state));
  };

  const lookAt = async (job: JobId): Promise<void> => {
    if (settling.has(job)) {
      lookAgain.add(job);
      return;
    }
    settling.add(job);
    try {
      do {
        lookAgain.delete(job);
        const entry = held.get(job);
        if (entry !== undefined) await lookOnce(job, entry);
      } while (lookAgain.has(job));
    } finally {
      settling.delete(job);
      lookAgain.delete(job);
    }
  };

  const failed = (job: JobId, message: string) => (error: unknown) =>
    log.error({ err: error, offer: job }, message);

  const settle = (job: JobId): Promise<void> =>
    lookAt(job).catch(failed(job, 'could not look at a job'));

  const abort = async (job: JobId): Promise<void> => {
    const entry = held.get(job);
    if (entry === undefined) return;
    entry.isAborted = true;
    // An engine that takes its time with one job must cost no other job its lease.
    if (await stopOnce(entry)) await settle(job);
    else void settle(job);
  };

  /**
   * Stops a job; the next beat does it again while the engine has not let go.
   * @returns whether nothing of it runs
   */
  const stopOnce = (entry: HeldJob): Promise<boolean> => {
    const { id } = entry.claimed;
    entry.stopping.abort();
    return entry.runner.stop(id, 'cancelled').then(
      () => true,
      (error: unknown) => {
        const level = entry.isWarned ? 'debug' : 'warn';
        entry.isWarned = true;
        log[level]({ err: error, offer: id }, 'a job that is to be stopped has not ended yet');
        return false;
      },
    );
  };

  /** Lets go of a job that is not ours any more. One that has ended must not run on. */
  const drop = async (entry: HeldJob): Promise<void> => {
    const { claimed, runner } = entry;
    if (!(await claims.isOver(claimed.id))) {
      release(claimed);
      await runner.forget(claimed.id);
    } else if (await stopOnce(entry)) release(claimed);
  };

  /** @param lease undefined: it is not ours any more */
  const keepOne = async (job: JobId, lease: KeptLease | undefined): Promise<void> => {
    const entry = held.get(job);
    if (entry === undefined) return undefined;
    if (lease === undefined) return drop(entry);
    const { stop, unknown } = lease;
    // While our lease had lapsed, executors of other hosts may have doubted it.
    if (unknown) entry.shown = 'unknown';
    // What follows without an await may take long: an engine that is slow must cost no lease.
    if (!stop && entry.giveAgain !== undefined)
      return void entry.giveAgain().catch(failed(job, 'could not give a job'));
    if (!stop) return settle(job);
    const stopped = abort(job);
    // A job that is being given stops after that.
    return entry.isGiven ? stopped : undefined;
  };

  /** Keeps the beat of all other jobs waiting for an engine only so long. */
  const keepInTime = async (
    job: JobId,
    lease: KeptLease | undefined,
    late: Promise<boolean>,
  ): Promise<void> => {
    const kept = keepOne(job, lease);
    const isSlow = await Promise.race([kept.then(() => false), late]);
    if (!isSlow) return;
    slow.add(job);
    void kept.catch(failed(job, 'could not keep a job')).finally(() => slow.delete(job));
  };

  return {
    has: (job) => held.has(job),
    hold: ({ id, attempt, promise }, runner, isGiven) => {
      const entry: HeldJob = {
        claimed: { id, attempt },
        runner,
        promise,
        isGiven,
        shown: undefined,
        giveAgain: undefined,
        isAborted: false,
        stopping: new AbortController(),
        isWarned: false,
      };
      held.set(id, entry);
      return entry;
    },
    release,
    forget: (job) => void held.delete(job),
    finish,
    finishIncomplete,
    lookAt,
    settle,
    abort,
    keep: async () => {
      const jobs = [...held.keys()];
      if (jobs.length === 0) return;
      const leases = new Map((await claims.keep(jobs)).map((lease) => [lease.id, lease]));
      const late = after(PATIENCE_MS, true, { ref: false });
      await Promise.all(
        jobs.filter((job) => !slow.has(job)).map((job) => keepInTime(job, leases.get(job), late)),
      );
    },
    clear: () => held.clear(),
  };
}
