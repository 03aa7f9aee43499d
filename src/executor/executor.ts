import type { Stager } from '../storage/stager.ts';
import type { JobId, ObjectId } from '../words/ids.ts';
import { createBeginning, type BeginningParts } from './beginning.ts';
import { holdJobs, type HeldJobsParts } from './held-jobs.ts';
import { homeNamesOf, type ReachableJobs } from './reachable-jobs.ts';

/**
 * Executes jobs: takes them from the book, gives them to their runners, and writes down how they
 * end. The methods that take messages are idempotent.
 */
export type Executor = {
  /**
   * A message of the outbox: go on with this job when nobody has it, else begin the next one of its
   * destination.
   */
  readonly execute: (job: JobId) => Promise<void>;
  /** A message of the outbox: begin what can begin at this destination. */
  readonly look: (destination: string) => Promise<void>;
  /** A message of the outbox: the files of this job can go. */
  readonly remove: (job: JobId) => Promise<void>;
  /** A message to this home: this job was ended without us, and must not run on. */
  readonly stop: (job: JobId) => Promise<void>;
  /** A message of the sweeper: this object's time is over. */
  readonly release: (object: ObjectId) => Promise<void>;
  /**
   * Renews the leases, stops what is to be stopped, and goes on with what others left here; called
   * every few seconds.
   */
  readonly beat: () => Promise<void>;
  /** Stops this job now, if it is ours. */
  readonly abort: (job: JobId) => Promise<void>;
  /** Hands everything back; runs go on and the next executor finds them. */
  readonly close: () => Promise<void>;
};

type ExecutorParts = HeldJobsParts &
  BeginningParts & { readonly stager: Pick<Stager, 'release'>; readonly home: ReachableJobs };

const REMOVE_RETRY_S = 2;

/** See {@link Executor}. */
export function createExecutor(parts: ExecutorParts): Executor {
  const { claims, runners, log } = parts;
  const held = holdJobs(parts);
  const { execute, look } = createBeginning(parts, held);
  for (const runner of runners.all) runner.onEnded((job) => void held.settle(job));
  return {
    execute,
    look,
    ...createRemoval(parts),
    beat: async () => {
      // The beat does not wait for jobs that are taken over: a slow engine must cost no lease.
      for (const job of await claims.orphans())
        void execute(job).catch((error: unknown) =>
          log.error({ err: error, offer: job }, 'a job could not be taken over'),
        );
      await held.keep();
    },
    abort: held.abort,
    close: async () => {
      held.clear();
      await Promise.all(runners.all.map((runner) => runner.close()));
      await claims.handBack();
    },
  };
}

/** What is done about jobs and objects that are over. */
function createRemoval({
  claims,
  runners,
  stager,
  home,
  log,
}: ExecutorParts): Pick<Executor, 'remove' | 'stop' | 'release'> {
  const homes: ReadonlySet<string> = new Set(homeNamesOf(home));
  return {
    remove: async (job) => {
      if (!(await claims.isOver(job))) return claims.send('remove', job, REMOVE_RETRY_S);
      const kept = await claims.engineOf(job);
      if (kept !== undefined) {
        const { destination, runner, host } = kept;
        // The files are at another home.
        if (host !== null && !homes.has(host)) return claims.sendHome('remove', job, host);
        const own = await runners.of(destination, runner, job);
        // The record must not be forgotten while its files are there.
        await (own === undefined ? runners.discard(job) : own.remove(job));
      }
      return claims.forget(job);
    },
    stop: async (job) => {
      const kept = await claims.engineOf(job);
      if (kept === undefined || !(await claims.isOver(job))) return;
      const own = await runners.of(kept.destination, kept.runner, job);
      // The message is tried again, and the site may have the runner then.
      if (own === undefined) throw new Error(`this executor has no runner ${kept.runner}`);
      await own.stop(job, 'cancelled');
    },
    release: async (object) => {
      const store = await claims.dueStore(object);
      if (store === undefined) return;
      await stager.release(store, object);
      await claims.released(object);
      log.info({ object, store }, 'storage released');
    },
  };
}
