import type { RunId } from '../../words/run-id.ts';
import type { Seconds } from '../../words/units.ts';
import type { JobDirectory } from '../run/directory.ts';
import type { Fates } from './fate.ts';
import { writeId, type BatchIntent } from './files.ts';
import type { BatchVerdict } from './settle.ts';
import { readNodeStatus } from './status.ts';
import { isUnended, type BatchJob, type BatchSystem } from './system.ts';

/** How long the system may keep a job waiting, or be silent; then its jobs are given up. */
export type BatchLimits = { readonly longestWait: Seconds; readonly unreachableLimit: Seconds };

/**
 * A job that is not known to be over. Times are milliseconds of a clock that nobody sets, but
 * those of the intent.
 */
export type BatchRun = {
  readonly job: RunId;
  readonly intent: BatchIntent;
  id: number | undefined;
  /** when its id became known, or its submission was last tried; older answers do not list it */
  touched: number;
  /** since when it is not listed, or listed as over and its node has not told how */
  missing: number | undefined;
  overdue: boolean;
  phase: 'queued' | 'running';
};

/** What the system lists under the name of a job. */
type Found = readonly [BatchJob, ...BatchJob[]];

type ListedParts = {
  readonly system: Pick<BatchSystem, 'name' | 'title'>;
  readonly limits: Pick<BatchLimits, 'longestWait'>;
  readonly placeOf: (job: RunId) => JobDirectory;
  readonly fates: Pick<Fates, 'ofListed'>;
  readonly cancel: (id: number) => Promise<void>;
  /** Ends a job. @returns true */
  readonly end: (job: RunId, verdict: BatchVerdict) => Promise<boolean>;
  /** called when a job began to run, or waits again */
  readonly onMoved: (job: RunId) => void;
};

/**
 * Sees to a job that is listed.
 * @returns whether anything changed
 */
type SeeToListed = (entry: BatchRun, found: Found, now: number) => Promise<boolean>;

export function openListed({
  system: { name, title },
  limits,
  placeOf,
  fates,
  cancel,
  end,
  onMoved,
}: ListedParts): SeeToListed {
  /**
   * Chooses among jobs of one name: an answer was lost, and the job was submitted again. Only one
   * of them can begin; that one is ours.
   */
  const choose = async (entry: BatchRun, found: Found): Promise<BatchJob> => {
    if (found.length === 1) return found[0];
    const { began } = await readNodeStatus(placeOf(entry.job));
    const chosen =
      found.find(({ id }) => id === began) ?? found.find(({ id }) => id === entry.id) ?? found[0];
    const others = found.filter((job) => job !== chosen && job.phase === 'queued');
    // What cannot be cancelled now, is in the next round.
    if (began !== undefined) await Promise.allSettled(others.map(({ id }) => cancel(id)));
    return chosen;
  };

  const waited = async (entry: BatchRun): Promise<void> => {
    if (
      entry.overdue ||
      Date.now() - entry.intent.since < limits.longestWait * 1000 ||
      entry.id === undefined
    )
      return;
    await cancel(entry.id);
    entry.overdue = true;
  };

  return async (entry, found, now) => {
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
}
