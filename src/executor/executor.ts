import type { Logger } from 'pino';
import type { Outcome, Runner, Workload } from '../runners/port.ts';
import type { Runners } from '../runners/registry.ts';
import type { JobId, ObjectId } from '../words/ids.ts';
import type { Content } from '../storage/content.ts';
import type { Stager } from '../storage/stager.ts';
import { seconds } from '../words/units.ts';
import type { ClaimedJob, Claims } from './claims.ts';
import { endingOf, engineFailure, lostRun } from './ending.ts';

/** Executes jobs: takes them from the book, gives them to their runner, and writes down how they end. */
export type Executor = {
  /** A message of the outbox: begin, or go on with, this job. Idempotent. */
  readonly execute: (job: JobId) => Promise<void>;
  /** A message of the outbox: the files of this job can go. Idempotent. */
  readonly remove: (job: JobId) => Promise<void>;
  /** A message of the sweeper: this object's time is over. Idempotent. */
  readonly release: (object: ObjectId) => Promise<void>;
  /** Renews the leases and stops what is to be stopped; called every few seconds. */
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
  readonly host: string;
  readonly log: Logger;
};

/** A destination that is full now is tried again so soon, seconds. */
const CROWDED_RETRY_S = 2;
const REMOVE_RETRY_S = 2;

const workloadOf = ({ id, promise, executionS }: ClaimedJob): Workload => ({
  job: id,
  task: promise.task,
  limits: { cores: promise.cores.max, memory: promise.memory.max, scratch: promise.scratch, wallTime: seconds(executionS) },
  gpus: promise.gpus,
  volumes: promise.parts.flatMap(({ volumes }) => volumes),
  contents: promise.storage.flatMap((item): readonly Content[] => (item.kind === 'ephemeral' ? [] : [item])),
});

/** See {@link Executor}. Everything that must survive `kill -9` is in the book or in the runner; here is only who is followed. */
export const createExecutor = ({ claims, runners, stager, host, log }: ExecutorParts): Executor => {
  const followed = new Map<JobId, Runner>();
  const taking = new Set<JobId>();
  const settling = new Set<JobId>();

  const finish = async (job: JobId, outcome: Outcome): Promise<void> => {
    const ending = endingOf(outcome);
    const held = (await claims.advance(job, 'RELEASING')) && (await claims.finish(job, ending, outcome.results));
    followed.delete(job);
    log.info({ offer: job, state: ending.state, code: ending.fault?.code, held }, 'job ended');
  };

  /** Looks at a followed job and ends it in the book once the engine says that it is over. */
  const settle = async (job: JobId): Promise<void> => {
    const runner = followed.get(job);
    if (runner === undefined || settling.has(job)) return;
    settling.add(job);
    try {
      const seen = await runner.look(job);
      if (seen.state === 'ended') await finish(job, seen.outcome);
      if (seen.state === 'absent') await finish(job, lostRun('the engine no longer knows it'));
    } catch (error) {
      // The next beat looks again; until then nothing is claimed about the job.
      log.error({ err: error, offer: job }, 'could not look at a job');
    } finally {
      settling.delete(job);
    }
  };

  const start = async (job: ClaimedJob, runner: Runner): Promise<void> => {
    followed.set(job.id, runner);
    try {
      await runner.submit(workloadOf(job));
    } catch (error) {
      log.error({ err: error, offer: job.id }, 'the runner failed');
      return finish(job.id, engineFailure(error));
    }
    if (await claims.advance(job.id, 'RUNNING')) log.info({ offer: job.id, runner: runner.name }, 'job runs');
    return settle(job.id);
  };

  /** Goes on with a job that an executor before us had begun. */
  const resume = async (job: ClaimedJob, runner: Runner): Promise<void> => {
    if (job.host !== null && job.host !== host) {
      followed.set(job.id, runner);
      return finish(job.id, lostRun(`host ${job.host}, where it ran, is gone`));
    }
    const seen = await runner.look(job.id);
    log.warn({ offer: job.id, state: job.state, seen: seen.state }, 'job taken over');
    if (seen.state === 'absent' && job.state === 'PREPARING') return start(job, runner);
    followed.set(job.id, runner);
    if (seen.state === 'running') await claims.advance(job.id, 'RUNNING');
    return settle(job.id);
  };

  const take = async (id: JobId): Promise<void> => {
    const verdict = await claims.begin(id);
    if (verdict === 'crowded') await claims.send('execute', id, CROWDED_RETRY_S);
    if (verdict !== 'begin' && verdict !== 'resume') return;
    const job = await claims.read(id);
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
    const runner = followed.get(job);
    if (runner === undefined) return;
    await runner.stop(job, 'cancelled');
    await settle(job);
  };

  /** Lets go of a job that is not ours any more. One that was ended without us has no reservation: it must not run on. */
  const drop = async (job: JobId): Promise<void> => {
    const runner = followed.get(job);
    followed.delete(job);
    if (await claims.isOver(job)) await runner?.stop(job, 'cancelled');
  };

  const beat = async (): Promise<void> => {
    const jobs = [...followed.keys()];
    if (jobs.length === 0) return;
    const stopOf = new Map((await claims.keep(jobs)).map(({ id, stop }) => [id, stop]));
    await Promise.all(jobs.map((job) => {
      const stop = stopOf.get(job);
      if (stop === undefined) return drop(job);
      return stop ? abort(job) : settle(job);
    }));
  };

  const remove = async (job: JobId): Promise<void> => {
    if (!(await claims.isOver(job))) return claims.send('remove', job, REMOVE_RETRY_S);
    const offer = await claims.engineOf(job);
    if (offer !== undefined) await runners.of(offer.destination, offer.runner)?.remove(job);
    return claims.forget(job);
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
    execute, remove, release, beat, abort,
    close: async () => {
      followed.clear();
      await Promise.all(runners.all.map((runner) => runner.close()));
      await claims.handBack();
    },
  };
};
