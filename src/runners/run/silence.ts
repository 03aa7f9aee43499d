import { shown } from '../../tasks/task.ts';
import type { RunId } from '../../words/run-id.ts';
import { errorText } from '../../words/system-error.ts';
import type { Seconds } from '../../words/units.ts';
import type { Outcome } from '../port.ts';
import { writeJsonOnce, type JobDirectory } from './directory.ts';
import { failedRun, readOutcome } from './outcome.ts';

/** Since when an engine has given no usable answer about its runs. */
type Silences = {
  /** The engine answered. */
  readonly end: (job: RunId) => void;
  /**
   * The engine did not answer.
   *
   * @param letGo done before the run is written down as lost
   * @returns the outcome of a run that is lost, because the limit is over
   * @throws the error until then
   */
  readonly note: (
    place: JobDirectory,
    error: unknown,
    letGo: () => Promise<unknown>,
  ) => Promise<Outcome>;
};

/**
 * @param engine for the message: `the cluster`
 * @param limit an engine that does not answer for so long has lost its runs
 * @param stoodStillMs runs are looked at more often: who comes back after so long stood still, and
 *   knows nothing of an engine that was away meanwhile
 */
export function openSilences(engine: string, limit: Seconds, stoodStillMs: number): Silences {
  const silent = new Map<RunId, { readonly since: number; readonly last: number }>();
  return {
    end: (job) => void silent.delete(job),
    note: async (place, error, letGo) => {
      const now = Date.now();
      const known = silent.get(place.job);
      const since = known !== undefined && now - known.last < stoodStillMs ? known.since : now;
      silent.set(place.job, { since, last: now });
      if (now - since < limit * 1000) throw error;
      silent.delete(place.job);
      await letGo();
      const lost = failedRun(
        'run-lost',
        `${engine} gave no usable answer for ${limit} s: ${shown(errorText(error))}`,
      );
      await writeJsonOnce(place.outcome, lost);
      return (await readOutcome(place)) ?? lost;
    },
  };
}
