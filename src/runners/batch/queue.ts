import { existsSync } from 'node:fs';
import type { RunId } from '../../words/run-id.ts';
import type { JobDirectory } from '../run/directory.ts';
import {
  BatchRefusal,
  BatchUnreachable,
  isUnended,
  type BatchJob,
  type BatchSystem,
} from './system.ts';
import { readId, writeId, type BatchIntent } from './files.ts';
import { limitConcurrency } from '../../words/concurrency.ts';
import { openFates } from './fate.ts';
import { openLateJobs, type ListedJobs } from './late.ts';
import { startRounds } from './rounds.ts';
import { endSteps } from './steps.ts';
import type { BatchVerdict } from './settle.ts';
import { readNodeStatus } from './status.ts';
import { errorText } from '../../words/system-error.ts';
import type { Seconds } from '../../words/units.ts';

/** How long the system may keep a job waiting, or be silent; then its jobs are given up. */
export type BatchLimits = { readonly longestWait: Seconds; readonly unreachableLimit: Seconds };

/**
 * A job that is not known to be over. Times are milliseconds of a clock that nobody sets, but those of
 * the intent.
 */
type Followed = {
  readonly job: RunId;
  readonly intent: BatchIntent;
  id: number | undefined;
  /**
   * when its id became known, or its submission was last tried; older answers do not list
   * it
   */
  touched: number;
  /** since when it is not listed, or listed as over and its node has not told how */
  missing: number | undefined;
  overdue: boolean;
  phase: 'queued' | 'running';
};

type BatchQueue = {
  /** Follows a job that was written down, and sends it when that is not done yet. */
  readonly send: (job: RunId, intent: BatchIntent) => Promise<void>;
  /**
   * Follows a job of which an executor before us may have sent a
   * request; the system is asked for it first.
   */
  readonly adopt: (job: RunId, intent: BatchIntent) => Promise<void>;
  readonly has: (job: RunId) => boolean;
  /** Stops following a job that others follow. */
  readonly forget: (job: RunId) => void;
  /**
   * What is known of a followed job: `unknown` while the system does not answer for
   * a while, or does not list it.
   */
  readonly stateOf: (job: RunId) => 'queued' | 'running' | 'unknown' | undefined;
  /** Asks the system to end a job. @returns false when it did not answer */
  readonly cancel: (job: RunId, how: 'politely' | 'now') => Promise<boolean>;
  /** Resolves after all followed jobs were looked at once more. */
  readonly round: () => Promise<void>;
  readonly close: () => Promise<void>;
};

type Duties = {
  readonly system: BatchSystem;
  readonly limits: BatchLimits;
  readonly placeOf: (job: RunId) => JobDirectory;
  /** Called once for each job; what it throws is tried again in the next round. */
  readonly onOver: (job: RunId, verdict: BatchVerdict) => Promise<void>;
  /** Called when a job began to run, or waits again. */
  readonly onMoved: (job: RunId) => void;
};

/** A controller may be restarted unnoticed. */
const DOUBT_MS = 5000;
/** Whoever comes back after so long stood still, and knows nothing of what was meanwhile. */
const STOOD_STILL_MS = 60_000;
/** Each call is a process, or a connection to a controller that answers one at a time. */
const CALLS = 4;
const SETTLING = 16;

/** Follows all jobs of one destination with one question for all of them. */
export function openQueue({ system, limits, placeOf, onOver, onMoved }: Duties): BatchQueue {
  const { name, title } = system;
  const followed = new Map<RunId, Followed>();
  const call = limitConcurrency(CALLS);
  const settling = limitConcurrency(SETTLING);
  const fates = openFates({ system, placeOf, call });
  const cancel = (id: number): Promise<void> => call(() => system.cancel(id, 'politely'));
  const lateJobs = openLateJobs(cancel);
  let silent: { readonly since: number; readonly last: number } | undefined;

  /** @returns since when the system has said nothing */
  const heardNothing = (now: number): number => {
    const known = silent !== undefined && now - silent.last < STOOD_STILL_MS ? silent : undefined;
    silent = { since: known?.since ?? now, last: now };
    return silent.since;
  };

  const end = async (job: RunId, verdict: BatchVerdict): Promise<boolean> => {
    const entry = followed.get(job);
    const { name: own, steps } = entry?.intent.request ?? {};
    if (steps !== undefined && entry?.id !== undefined)
      await call(() => endSteps(system, steps)).catch((error: unknown) => {
        // Of a system that is silent for good, a later round ends what is left.
        if (verdict.kind === 'told' || !(error instanceof BatchUnreachable)) throw error;
      });
    await onOver(job, verdict);
    for (const name of [own, steps]) if (name !== undefined) lateJobs.add(name);
    followed.delete(job);
    return true;
  };

  const submit = async (entry: Followed): Promise<void> => {
    const place = placeOf(entry.job);
    if (existsSync(place.stopped)) {
      await end(entry.job, {
        kind: 'given-up',
        code: 'runner-failed',
        message: `it was stopped before it was sent to ${title}`,
      });
      return;
    }
    // While the system is silent, every try would take the full time of a call. Jobs are sent once it
    // answers.
    if (silent !== undefined) return;
    try {
      entry.touched = Infinity;
      const id = await call(() => system.submit(entry.intent.request));
      // Somebody ended the job meanwhile.
      if (existsSync(place.outcome) || !existsSync(place.root)) return await cancel(id);
      await writeId(name, place, id);
      entry.id = id;
    } catch (error) {
      if (error instanceof BatchRefusal)
        await end(entry.job, {
          kind: 'given-up',
          code: 'runner-failed',
          message: `${title} does not take the job: ${error.message}`,
        });
      else if (!(error instanceof BatchUnreachable)) throw error;
      else heardNothing(performance.now());
    } finally {
      entry.touched = performance.now();
    }
  };

  /** What to do about a job that should be listed and is not. */
  const absent = async (entry: Followed, now: number): Promise<boolean> => {
    if (entry.id === undefined) {
      await submit(entry);
      return true;
    }
    const verdict = await fates.ofUnlisted(entry, entry.id, now);
    return verdict === undefined ? false : end(entry.job, verdict);
  };

  /**
   * Chooses among jobs of one name: an answer was lost, and the job was submitted again. Only one
   * of them can begin; that one is ours.
   */
  const choose = async (
    entry: Followed,
    found: readonly [BatchJob, ...BatchJob[]],
  ): Promise<BatchJob> => {
    if (found.length === 1) return found[0];
    const { began } = await readNodeStatus(placeOf(entry.job));
    const chosen =
      found.find(({ id }) => id === began) ?? found.find(({ id }) => id === entry.id) ?? found[0];
    const others = found.filter((job) => job !== chosen && job.phase === 'queued');
    // What cannot be cancelled now, is in the next round.
    if (began !== undefined) await Promise.allSettled(others.map(({ id }) => cancel(id)));
    return chosen;
  };

  const waited = async (entry: Followed): Promise<void> => {
    if (
      entry.overdue ||
      Date.now() - entry.intent.since < limits.longestWait * 1000 ||
      entry.id === undefined
    )
      return;
    await cancel(entry.id);
    entry.overdue = true;
  };

  const present = async (
    entry: Followed,
    found: readonly [BatchJob, ...BatchJob[]],
    now: number,
  ): Promise<boolean> => {
    const { id, phase, state, reason } = await choose(entry, found);
    if (entry.id !== id) await writeId(name, placeOf(entry.job), id);
    entry.id = id;
    if (isUnended(phase)) {
      entry.missing = undefined;
      const changed = phase !== entry.phase;
      entry.phase = phase;
      if (changed) onMoved(entry.job);
      if (phase === 'queued') await waited(entry);
      return changed;
    }
    if (phase === 'cancelled' && entry.overdue) {
      return end(entry.job, {
        kind: 'given-up',
        code: 'queue-limit-exceeded',
        message: `${title} did not start the job within ${limits.longestWait} s`,
      });
    }
    const verdict = await fates.ofListed(entry, id, { kind: 'told', phase, state, reason }, now);
    return verdict === undefined ? false : end(entry.job, verdict);
  };

  const lookAt = async (entry: Followed, jobs: ListedJobs, asked: number): Promise<boolean> => {
    const [first, ...more] = jobs.get(entry.intent.request.name) ?? [];
    if (first !== undefined) return present(entry, [first, ...more], asked);
    return entry.touched < asked ? absent(entry, asked) : false;
  };

  const silence = async (now: number, why: string): Promise<boolean> => {
    const lasted = now - heardNothing(now);
    if (lasted < limits.unreachableLimit * 1000) return false;
    const message =
      `${title} could not be asked for ${Math.round(lasted / 1000)} s (${why}), and ` +
      'how the run ended is not known';
    await Promise.all(
      [...followed.keys()].map((job) =>
        settling(() => end(job, { kind: 'given-up', code: 'run-lost', message, mayRun: true })),
      ),
    );
    return true;
  };

  /** Forgets a job that was removed elsewhere. */
  const drop = ({ job }: Followed): boolean => {
    if (!existsSync(placeOf(job).root)) followed.delete(job);
    return false;
  };

  const round = async (): Promise<boolean> => {
    const asked = performance.now();
    const entries = [...followed.values()];
    if (entries.length === 0 && !lateJobs.areThere()) return false;
    try {
      const jobs = Map.groupBy(await system.jobs(), ({ name }) => name);
      silent = undefined;
      // The next round tries again what cannot be settled now, for example while a directory is
      // being removed.
      const looks = entries.map((entry) =>
        settling(() => lookAt(entry, jobs, asked)).catch(() => drop(entry)),
      );
      // A job that cannot be cancelled keeps no other from being looked at.
      await lateJobs.cancel(jobs, asked);
      const changes = await Promise.all(looks);
      return changes.includes(true);
    } catch (error) {
      return silence(asked, errorText(error)).catch(() => false);
    }
  };

  const rounds = startRounds(round, () => followed.size === 0 && !lateJobs.areThere());

  const follow = (
    job: RunId,
    intent: BatchIntent,
    id: number | undefined,
    touched: number,
  ): Followed => {
    const entry: Followed = {
      job,
      intent,
      id,
      touched,
      missing: undefined,
      overdue: false,
      phase: 'queued',
    };
    followed.set(job, entry);
    rounds.hurry();
    return entry;
  };

  return {
    send: async (job, intent) => submit(follow(job, intent, undefined, Infinity)),
    adopt: async (job, intent) => {
      if (!followed.has(job)) follow(job, intent, await readId(name, placeOf(job)), 0);
      await rounds.next();
    },
    has: (job) => followed.has(job),
    forget: (job) => void followed.delete(job),
    stateOf: (job) => {
      const entry = followed.get(job);
      if (entry === undefined) return undefined;
      const isSilent = silent !== undefined && performance.now() - silent.since > DOUBT_MS;
      return entry.missing !== undefined || (isSilent && entry.id !== undefined)
        ? 'unknown'
        : entry.phase;
    },
    cancel: async (job, how) => {
      const id = followed.get(job)?.id;
      if (id === undefined) return false;
      try {
        await call(() => system.cancel(id, how));
        return true;
      } catch (error) {
        if (error instanceof BatchUnreachable) return false;
        throw error;
      }
    },
    round: rounds.next,
    close: rounds.close,
  };
}
