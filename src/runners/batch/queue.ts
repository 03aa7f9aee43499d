import { existsSync } from 'node:fs';
import type { RunId } from '../../words/run-id.ts';
import type { JobDirectory } from '../run/directory.ts';
import { BatchRefusal, BatchUnreachable, type BatchSystem } from './system.ts';
import { isElsewhere, readId, writeId, type BatchIntent } from './files.ts';
import { openListed, type BatchLimits, type BatchRun } from './listed.ts';
import { limitConcurrency } from '../../words/concurrency.ts';
import { openFates } from './fate.ts';
import { openLateJobs, type ListedJobs } from './late.ts';
import { startRounds } from './rounds.ts';
import { endSteps } from './steps.ts';
import type { BatchVerdict } from './settle.ts';
import { errorText } from '../../words/system-error.ts';

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
  const followed = new Map<RunId, BatchRun>();
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

  const submit = async (entry: BatchRun): Promise<void> => {
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
  const absent = async (entry: BatchRun, now: number): Promise<boolean> => {
    if (entry.id === undefined) {
      await submit(entry);
      return true;
    }
    const verdict = await fates.ofUnlisted(entry, entry.id, now);
    return verdict === undefined ? false : end(entry.job, verdict);
  };

  const seeToListed = openListed({ system, limits, placeOf, fates, cancel, end, onMoved });

  const lookAt = async (entry: BatchRun, jobs: ListedJobs, asked: number): Promise<boolean> => {
    const [first, ...more] = jobs.get(entry.intent.request.name) ?? [];
    if (first !== undefined) return seeToListed(entry, [first, ...more], asked);
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
  const drop = ({ job }: BatchRun): boolean => {
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
  ): BatchRun => {
    const entry: BatchRun = {
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
      const { id, intent, missing } = followed.get(job) ?? {};
      if (id === undefined || intent === undefined) return false;
      // The number may be of somebody else's job there.
      if (missing !== undefined && isElsewhere(intent, system)) return false;
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
