import type { Logger } from 'pino';
import type { Promised } from '../planner/offer.ts';
import { machinesOf } from '../planner/judge/parts.ts';
import { ClaimLost } from '../runners/claim-lost.ts';
import { GiveAgain, isPassing } from '../runners/passing.ts';
import type { Assignment, JobRunner, Observation, Outcome } from '../runners/port.ts';
import { STOPPED_BEFORE } from '../runners/run/outcome.ts';
import type { Runners } from '../runners/registry.ts';
import type { JobId, ObjectId } from '../words/ids.ts';
import type { Stager } from '../storage/stager.ts';
import { assignmentOf } from './assignment.ts';
import type { JobClaim, ClaimedAttempt, ClaimedJob, Claims } from './claims.ts';
import { jobEndingOf, engineFailure, lostRun } from './ending.ts';
import { limitConcurrency } from '../words/concurrency.ts';
import { homeNamesOf, type ReachableJobs } from './reachable-jobs.ts';
import type { ResultsRoom } from './results-room.ts';

/**
 * Executes jobs: takes them from the book, gives them to their
 * runner, and writes down how they end.
 */
export type Executor = {
  /**
   * A message of the outbox: go on with this job when nobody has it, else begin the next one
   * of its destination. Idempotent.
   */
  readonly execute: (job: JobId) => Promise<void>;
  /** A message of the outbox: begin what can begin at this destination. Idempotent. */
  readonly look: (destination: string) => Promise<void>;
  /** A message of the outbox: the files of this job can go. Idempotent. */
  readonly remove: (job: JobId) => Promise<void>;
  /** A message to this home: this job was ended without us, and must not run on. Idempotent. */
  readonly stop: (job: JobId) => Promise<void>;
  /** A message of the sweeper: this object's time is over. Idempotent. */
  readonly release: (object: ObjectId) => Promise<void>;
  /**
   * Renews the leases, stops what is to be stopped, and goes on with what others left
   * here; called every few seconds.
   */
  readonly beat: () => Promise<void>;
  /** Stops this job now, if it is ours. */
  readonly abort: (job: JobId) => Promise<void>;
  /** Hands everything back; runs go on and the next executor finds them. */
  readonly close: () => Promise<void>;
};

export type ExecutorParts = {
  readonly claims: Claims;
  readonly runners: Runners;
  readonly stager: Pick<Stager, 'release'>;
  readonly home: ReachableJobs;
  /** sees to what jobs leave; all of it stays when absent */
  readonly keeping?: ResultsRoom;
  /** what is short on the disc that jobs write to; there is always enough when absent */
  readonly disc?: () => Promise<object | undefined>;
  readonly log: Logger;
};

/** A destination that is full now is looked at again so soon, seconds. */
const CROWDED_RETRY_S = 2;
const REMOVE_RETRY_S = 2;
/** A full disc is emptied by people, or when results have had their time. */
const FULL_RETRY_S = 5;
/** One that cannot begin for a reason that passes is looked at again so soon, seconds. */
const PASSING_RETRY_S = 5;

/** What engines say of a job that is not over. */
type Going = Extract<Observation['state'], 'queued' | 'running' | 'unknown'>;
type Followed = {
  readonly claimed: ClaimedAttempt;
  readonly runner: JobRunner;
  readonly promise: Promised;
  /** the engine was given all of it; until then it is being prepared, and would be given again */
  isGiven: boolean;
  /** what the book says of it */
  shown: Going | undefined;
  /**
   * gives it to the engine once more; undefined unless the engine could not be asked the last time
   */
  giveAgain: (() => Promise<void>) | undefined;
  /**
   * it was to be stopped: one of which the engine knows nothing then was stopped before it began
   */
  isAborted: boolean;
};

/**
 * See {@link Executor}. Everything that must survive `kill -9` is in the book or in the
 * runner; here is only who is followed.
 */
export function createExecutor({
  claims,
  runners,
  stager,
  home,
  keeping,
  disc,
  log,
}: ExecutorParts): Executor {
  const homes: ReadonlySet<string> = new Set(homeNamesOf(home));
  const followed = new Map<JobId, Followed>();
  const taking = new Set<JobId>();
  const settling = new Set<JobId>();
  /** Jobs that ended, or might have, while somebody looked: what that look saw can be older. */
  const lookAgain = new Set<JobId>();

  /** Forgets a job of ours under this attempt; one that we took again meanwhile stays followed. */
  const unfollow = ({ id, attempt }: ClaimedAttempt): void => {
    if (followed.get(id)?.claimed.attempt === attempt) followed.delete(id);
  };

  /** @param promise of a run that has left something @returns whether it was ours to end */
  const finish = async (
    claimed: ClaimedAttempt,
    outcome: Outcome,
    promise?: Promised,
  ): Promise<boolean> => {
    const { id } = claimed;
    let held = await claims.advance(claimed, 'RELEASING');
    const most = (promise?.results ?? Infinity) * 2 ** 20;
    const kept =
      held && keeping !== undefined
        ? await keeping.within(id, outcome, most, (bytes) => claims.grow(id, bytes))
        : outcome;
    const ending = jobEndingOf(kept);
    held &&= await claims.finish(claimed, ending, kept.results);
    unfollow(claimed);
    log.info({ offer: id, state: ending.state, code: ending.fault?.code, held }, 'job ended');
    if (!held || promise === undefined || keeping === undefined) return held;
    // Nobody waits for it: there may be a million files.
    void keeping
      .tidy(id, machinesOf(promise).length, kept.results)
      .catch((error: unknown) =>
        log.warn({ err: error, offer: id }, 'not all files of a job could be removed'),
      );
    return held;
  };

  /**
   * Writes down what the engine says of a job that is not over, when that
   * is another thing than before.
   */
  const show = async (entry: Followed, state: Going): Promise<void> => {
    if (entry.shown === state) return;
    const { claimed } = entry;
    if (entry.shown === 'unknown') await claims.doubt(claimed, false);
    const held = await (state === 'unknown'
      ? claims.doubt(claimed, true)
      : claims.advance(claimed, state === 'queued' ? 'AVAILABLE' : 'RUNNING'));
    entry.shown = state;
    if (held)
      log.info(
        { offer: claimed.id, runner: entry.runner.name },
        state === 'running' ? 'job runs' : `job is ${state}`,
      );
  };

  /**
   * The engine has nothing of it. What is ended in the book first can be stopped by whoever
   * wants to: it is nobody's any more.
   */
  const vanished = async ({ claimed, runner, isAborted }: Followed): Promise<void> => {
    const ended = await finish(
      claimed,
      isAborted ? STOPPED_BEFORE : lostRun('the engine no longer knows it'),
    );
    // Some of its machines may have been begun.
    if (ended) await runner.stop(claimed.id, 'cancelled');
  };

  const lookOnce = async (job: JobId, entry: Followed): Promise<void> => {
    const seen = await entry.runner.look(job);
    if (seen.state === 'ended')
      return void (await finish(entry.claimed, seen.outcome, entry.promise));
    // What is said of it now would keep whoever comes after us from going on with giving it.
    if (!entry.isGiven) return undefined;
    return seen.state === 'absent' ? vanished(entry) : show(entry, seen.state);
  };

  /**
   * Looks at a followed job; ends it in the book once the engine says that it is over.
   * @throws what the engine or the book threw
   */
  const lookAt = async (job: JobId): Promise<void> => {
    if (settling.has(job)) {
      lookAgain.add(job);
      return;
    }
    settling.add(job);
    try {
      do {
        lookAgain.delete(job);
        const entry = followed.get(job);
        if (entry !== undefined) await lookOnce(job, entry);
      } while (lookAgain.has(job));
    } finally {
      settling.delete(job);
      lookAgain.delete(job);
    }
  };

  /**
   * The same when nobody waits for it: the next beat looks again, and until then
   * nothing is claimed about the job.
   */
  const settle = (job: JobId): Promise<void> =>
    lookAt(job).catch((error: unknown) =>
      log.error({ err: error, offer: job }, 'could not look at a job'),
    );

  const follow = (job: ClaimedJob, runner: JobRunner, isGiven: boolean): Followed => {
    const { id, attempt, promise } = job;
    const entry: Followed = {
      claimed: { id, attempt },
      runner,
      promise,
      isGiven,
      shown: undefined,
      giveAgain: undefined,
      isAborted: false,
    };
    followed.set(id, entry);
    return entry;
  };

  /** What became of a job that could not be given to its engine. */
  const ungiven = async ({ claimed, runner }: Followed, error: unknown): Promise<void> => {
    if (error instanceof ClaimLost) {
      unfollow(claimed);
      return log.warn({ offer: claimed.id }, 'another executor has the job now');
    }
    if (isPassing(error)) {
      unfollow(claimed);
      const held = await claims.putBack(claimed, PASSING_RETRY_S);
      return log.warn(
        { err: error, offer: claimed.id, held },
        'the job cannot begin for the time being, and waits',
      );
    }
    log.error({ err: error, offer: claimed.id }, 'the runner failed');
    // Some of its machines may have been begun.
    if (await finish(claimed, engineFailure(error))) await runner.stop(claimed.id, 'cancelled');
  };

  const give = async (entry: Followed, assignment: Assignment): Promise<void> => {
    entry.giveAgain = undefined;
    try {
      await entry.runner.submit(assignment);
      entry.isGiven = true;
    } catch (error) {
      if (!(error instanceof GiveAgain)) return ungiven(entry, error);
      entry.giveAgain = () => give(entry, assignment);
      return log.warn(
        { err: error, offer: assignment.job },
        'the engine cannot be asked: the job is given to it again',
      );
    }
    return lookAt(assignment.job);
  };

  const start = (job: ClaimedJob, runner: JobRunner): Promise<void> =>
    give(
      follow(job, runner, false),
      assignmentOf(job, () => claims.hold(job)),
    );

  /** Goes on with a job that an executor before us had begun. */
  const resume = async (job: ClaimedJob, runner: JobRunner): Promise<void> => {
    const seen = await runner.look(job.id);
    log.warn({ offer: job.id, state: job.state, seen: seen.state }, 'job taken over');
    if (seen.state === 'absent' && job.state === 'PREPARING') return start(job, runner);
    follow(job, runner, true);
    return lookAt(job.id);
  };

  /**
   * Ends a job that nobody who could reach it came back to. Should one of them come later, the book
   * has told him to stop what still runs.
   */
  const giveUp = async (job: ClaimedJob): Promise<void> =>
    void (await finish(job, lostRun(`no executor of ${job.host ?? 'its host'} came back to it`)));

  const take = async (id: JobId, verdict: 'begin' | 'resume' | 'lost'): Promise<void> => {
    const job = await claims.read(id);
    if (job === undefined) return;
    if (verdict === 'lost') return giveUp(job);
    const runner = runners.of(job.destination, job.runner);
    if (runner === undefined) {
      await claims.finish(
        job,
        jobEndingOf(engineFailure(new Error(`this executor has no runner ${job.runner}`))),
        [],
      );
      return;
    }
    await (verdict === 'begin' ? start(job, runner) : resume(job, runner));
  };

  /**
   * One claim at a time: what the book gave us is known here before it is asked again,
   * so that nothing is taken twice.
   */
  const claiming = limitConcurrency(1);
  const claim = (ask: () => Promise<JobClaim>): Promise<JobClaim> =>
    claiming(async () => {
      const claimed = await ask();
      if (claimed.job !== null) taking.add(claimed.job);
      return claimed;
    });

  const act = async ({ job, verdict, destination }: JobClaim): Promise<void> => {
    if (verdict === 'crowded' && destination !== null)
      await claims.lookAt(destination, CROWDED_RETRY_S);
    if (job === null) return;
    try {
      if (verdict !== 'elsewhere') await take(job, verdict);
    } catch (error) {
      // Half taken is not taken: once the lease is over, or with the next message, it is found
      // ours in the book and resumed.
      followed.delete(job);
      throw error;
    } finally {
      taking.delete(job);
    }
  };

  /** On a full disc a job would fail for no fault of its own: it waits, and what runs goes on. */
  const isFull = async (): Promise<boolean> => {
    const short = await disc?.();
    if (short !== undefined) log.warn(short, 'no job begins: the disc is nearly full');
    return short !== undefined;
  };

  const goOn = async (id: JobId): Promise<JobClaim> => {
    const isTaken = followed.has(id) || taking.has(id);
    if (!isTaken && (await claims.hasBegun(id))) return claims.goOn(id);
    const destination = isTaken ? undefined : (await claims.engineOf(id))?.destination;
    if (destination !== undefined) await claims.lookAt(destination, FULL_RETRY_S);
    return { job: null, verdict: 'none', destination: null };
  };

  const execute = async (id: JobId): Promise<void> =>
    act(
      await claim(async () =>
        (await isFull()) ? goOn(id) : claims.take(id, followed.has(id) || taking.has(id)),
      ),
    );

  const look = async (destination: string): Promise<void> => {
    if (await isFull()) return claims.lookAt(destination, FULL_RETRY_S);
    const claimed = await claim(() => claims.next(destination));
    // Others look for the next one meanwhile: giving a job to its engine
    // takes longer than finding it.
    if (claimed.verdict === 'begin') await claims.lookAt(destination, 0);
    await act(claimed);
  };

  const abort = async (job: JobId): Promise<void> => {
    const entry = followed.get(job);
    if (entry === undefined) return;
    entry.isAborted = true;
    await entry.runner.stop(job, 'cancelled');
    await settle(job);
  };

  /**
   * Lets go of a job that is not ours any more. One that was ended without us has no
   * reservation: it must not run on.
   */
  const drop = async (job: JobId): Promise<void> => {
    const entry = followed.get(job);
    followed.delete(job);
    await ((await claims.isOver(job))
      ? entry?.runner.stop(job, 'cancelled')
      : entry?.runner.forget(job));
  };

  /**
   * Goes on with jobs whose executor is gone. The beat does not wait for it: an engine
   * that is slow must cost no lease.
   */
  const adopt = async (): Promise<void> => {
    for (const job of await claims.orphans()) {
      void execute(job).catch((error: unknown) =>
        log.error({ err: error, offer: job }, 'a job could not be taken over'),
      );
    }
  };

  const beat = async (): Promise<void> => {
    await adopt();
    const jobs = [...followed.keys()];
    if (jobs.length === 0) return;
    const stopOf = new Map((await claims.keep(jobs)).map(({ id, stop }) => [id, stop]));
    await Promise.all(
      jobs.map((job) => {
        const stop = stopOf.get(job);
        if (stop === undefined) return drop(job);
        const again = followed.get(job)?.giveAgain;
        // An engine that takes its time must cost no lease.
        if (!stop && again !== undefined)
          return void again().catch((error: unknown) =>
            log.error({ err: error, offer: job }, 'could not give a job'),
          );
        if (!stop) return settle(job);
        const stopped = abort(job);
        if (followed.get(job)?.isGiven !== false) return stopped;
        // It stops once its giving is over, for which no other job's lease waits.
        return void stopped.catch((error: unknown) =>
          log.error({ err: error, offer: job }, 'abort failed'),
        );
      }),
    );
  };

  const remove = async (job: JobId): Promise<void> => {
    if (!(await claims.isOver(job))) return claims.send('remove', job, REMOVE_RETRY_S);
    const kept = await claims.engineOf(job);
    if (kept !== undefined) {
      const { destination, runner, host } = kept;
      // Here nobody would find its files.
      if (host !== null && !homes.has(host)) return claims.sendHome('remove', job, host);
      await runners.of(destination, runner)?.remove(job);
    }
    return claims.forget(job);
  };

  const stop = async (job: JobId): Promise<void> => {
    const kept = await claims.engineOf(job);
    if (kept !== undefined && (await claims.isOver(job)))
      await runners.of(kept.destination, kept.runner)?.stop(job, 'cancelled');
  };

  const release = async (object: ObjectId): Promise<void> => {
    const store = await claims.dueStore(object);
    if (store === undefined) return;
    await stager.release(store, object);
    await claims.released(object);
    log.info({ object, store }, 'storage released');
  };

  for (const runner of runners.all) runner.onEnded((job) => void settle(job));

  return {
    execute,
    look,
    remove,
    stop,
    release,
    beat,
    abort,
    close: async () => {
      followed.clear();
      await Promise.all(runners.all.map((runner) => runner.close()));
      await claims.handBack();
    },
  };
}
