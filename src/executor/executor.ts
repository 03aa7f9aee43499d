import type { Logger } from 'pino';
import type { JobRunner, Observation, Outcome } from '../runners/port.ts';
import type { Runners } from '../runners/registry.ts';
import type { JobId, ObjectId } from '../words/ids.ts';
import type { Stager } from '../storage/stager.ts';
import { assignmentOf } from './assignment.ts';
import type { ClaimedJob, Claims } from './claims.ts';
import { endingOf, engineFailure, lostRun } from './ending.ts';
import { homesOf, type Home } from './home.ts';

/** Executes jobs: takes them from the book, gives them to their runner, and writes down how they end. */
export type Executor = {
  /** A message of the outbox: begin, or go on with, this job. Idempotent. */
  readonly execute: (job: JobId) => Promise<void>;
  /** A message of the outbox: the files of this job can go. Idempotent. */
  readonly remove: (job: JobId) => Promise<void>;
  /** A message to this home: this job was ended without us, and must not run on. Idempotent. */
  readonly stop: (job: JobId) => Promise<void>;
  /** A message of the sweeper: this object's time is over. Idempotent. */
  readonly release: (object: ObjectId) => Promise<void>;
  /** Renews the leases, stops what is to be stopped, and goes on with what others left here; called every few seconds. */
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
  readonly home: Home;
  readonly log: Logger;
};

/** A destination that is full now is tried again so soon, seconds. */
const CROWDED_RETRY_S = 2;
const REMOVE_RETRY_S = 2;

/** What engines say of a job that is not over. */
type Going = Extract<Observation['state'], 'queued' | 'running' | 'unknown'>;
type Followed = {
  readonly runner: JobRunner;
  /** the engine was given all of it; until then it is being prepared, and would be given again */
  isGiven: boolean;
  /** what the book says of it */
  shown: Going | undefined;
};

/** See {@link Executor}. Everything that must survive `kill -9` is in the book or in the runner; here is only who is followed. */
export const createExecutor = ({ claims, runners, stager, home, log }: ExecutorParts): Executor => {
  const homes: ReadonlySet<string> = new Set(homesOf(home));
  const followed = new Map<JobId, Followed>();
  const taking = new Set<JobId>();
  const settling = new Set<JobId>();
  /** Jobs that ended, or might have, while somebody looked: what that look saw can be older. */
  const lookAgain = new Set<JobId>();

  const finish = async (job: JobId, outcome: Outcome): Promise<void> => {
    const ending = endingOf(outcome);
    const held = (await claims.advance(job, 'RELEASING')) && (await claims.finish(job, ending, outcome.results));
    followed.delete(job);
    log.info({ offer: job, state: ending.state, code: ending.fault?.code, held }, 'job ended');
  };

  /** Writes down what the engine says of a job that is not over, when that is another thing than before. */
  const show = async (job: JobId, entry: Followed, state: Going): Promise<void> => {
    if (entry.shown === state) return;
    if (entry.shown === 'unknown') await claims.doubt(job, false);
    const held = await (state === 'unknown' ? claims.doubt(job, true) : claims.advance(job, state === 'queued' ? 'AVAILABLE' : 'RUNNING'));
    entry.shown = state;
    if (held) log.info({ offer: job, runner: entry.runner.name }, state === 'running' ? 'job runs' : `job is ${state}`);
  };

  const lookOnce = async (job: JobId, entry: Followed): Promise<void> => {
    const seen = await entry.runner.look(job);
    if (seen.state === 'ended') return finish(job, seen.outcome);
    // What is said of it now would keep whoever comes after us from going on with giving it.
    if (!entry.isGiven) return undefined;
    if (seen.state === 'absent') {
      // Some of its machines may have been begun.
      await entry.runner.stop(job, 'cancelled');
      return finish(job, lostRun('the engine no longer knows it'));
    }
    return show(job, entry, seen.state);
  };

  /** Looks at a followed job; ends it in the book once the engine says that it is over. @throws what the engine or the book threw */
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

  /** The same when nobody waits for it: the next beat looks again, and until then nothing is claimed about the job. */
  const settle = (job: JobId): Promise<void> => lookAt(job).catch((error: unknown) => log.error({ err: error, offer: job }, 'could not look at a job'));

  const start = async (job: ClaimedJob, runner: JobRunner): Promise<void> => {
    const entry: Followed = { runner, isGiven: false, shown: undefined };
    followed.set(job.id, entry);
    try {
      await runner.submit(assignmentOf(job));
      entry.isGiven = true;
    } catch (error) {
      log.error({ err: error, offer: job.id }, 'the runner failed');
      return finish(job.id, engineFailure(error));
    }
    return lookAt(job.id);
  };

  /** Goes on with a job that an executor before us had begun. */
  const resume = async (job: ClaimedJob, runner: JobRunner): Promise<void> => {
    const seen = await runner.look(job.id);
    log.warn({ offer: job.id, state: job.state, seen: seen.state }, 'job taken over');
    if (seen.state === 'absent' && job.state === 'PREPARING') return start(job, runner);
    followed.set(job.id, { runner, isGiven: true, shown: undefined });
    return lookAt(job.id);
  };

  /** Ends a job that nobody who could reach it came back to. Should one of them come later, it stops what still runs. */
  const giveUp = async (job: JobId, at: string | null): Promise<void> => {
    await finish(job, lostRun(`no executor of ${at ?? 'its host'} came back to it`));
    if (at !== null) await claims.sendHome('stop', job, at);
  };

  const take = async (id: JobId): Promise<void> => {
    const verdict = await claims.begin(id);
    if (verdict === 'crowded') await claims.send('execute', id, CROWDED_RETRY_S);
    if (verdict !== 'begin' && verdict !== 'resume' && verdict !== 'lost') return;
    const job = await claims.read(id);
    if (verdict === 'lost') return giveUp(id, job.host);
    const runner = runners.of(job.destination, job.runner);
    if (runner === undefined) {
      await claims.finish(id, endingOf(engineFailure(new Error(`this executor has no runner ${job.runner}`))), []);
      return;
    }
    await (verdict === 'begin' ? start(job, runner) : resume(job, runner));
  };

  const execute = async (id: JobId): Promise<void> => {
    if (followed.has(id) || taking.has(id)) return;
    taking.add(id);
    try {
      await take(id);
    } catch (error) {
      // Half taken is not taken: the message, or a new one once the lease is over, finds it ours in the book and resumes.
      followed.delete(id);
      throw error;
    } finally {
      taking.delete(id);
    }
  };

  const abort = async (job: JobId): Promise<void> => {
    const entry = followed.get(job);
    if (entry === undefined) return;
    await entry.runner.stop(job, 'cancelled');
    await settle(job);
  };

  /** Lets go of a job that is not ours any more. One that was ended without us has no reservation: it must not run on. */
  const drop = async (job: JobId): Promise<void> => {
    const entry = followed.get(job);
    followed.delete(job);
    if (await claims.isOver(job)) await entry?.runner.stop(job, 'cancelled');
  };

  /** Goes on with jobs whose executor is gone. The beat does not wait for it: an engine that is slow must cost no lease. */
  const adopt = async (): Promise<void> => {
    for (const job of await claims.orphans()) {
      void execute(job).catch((error: unknown) => log.error({ err: error, offer: job }, 'a job could not be taken over'));
    }
  };

  const beat = async (): Promise<void> => {
    await adopt();
    const jobs = [...followed.keys()];
    if (jobs.length === 0) return;
    const stopOf = new Map((await claims.keep(jobs)).map(({ id, stop }) => [id, stop]));
    await Promise.all(jobs.map((job) => {
      const stop = stopOf.get(job);
      if (stop === undefined) return drop(job);
      if (!stop) return settle(job);
      const stopped = abort(job);
      if (followed.get(job)?.isGiven !== false) return stopped;
      // It stops once its giving is over, for which no other job's lease waits.
      return void stopped.catch((error: unknown) => log.error({ err: error, offer: job }, 'abort failed'));
    }));
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
    if (kept !== undefined && (await claims.isOver(job))) await runners.of(kept.destination, kept.runner)?.stop(job, 'cancelled');
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
    execute, remove, stop, release, beat, abort,
    close: async () => {
      followed.clear();
      await Promise.all(runners.all.map((runner) => runner.close()));
      await claims.handBack();
    },
  };
};
