import type { JobId } from '../../words/ids.ts';
import type { Job } from '../job.ts';

type Entry = { readonly job: Job; readonly version: string };

/**
 * Jobs that were read lately, each with its version; what is printed of them
 * is kept with them (`show.ts`).
 */
export type KeptJobs = {
  readonly has: (id: JobId) => boolean;
  /**
   * The job, when it is still the one of that version; otherwise it is forgotten.
   *
   * @param version undefined when the job is gone
   */
  readonly get: (id: JobId, version: string | undefined) => Job | undefined;
  readonly set: (job: Job, version: string) => void;
};

const MOST = 2000;
/**
 * A job has up to 1 MiB of parameters and 1,000 results; what is
 * longer than this is read each time.
 */
const LONGEST = 16 * 1024;
const RESULT = 200;

/** @param most jobs; beyond that the one that was not asked for longest goes */
export function openKept(most: number = MOST): KeptJobs {
  const entries = new Map<JobId, Entry>();
  const set = (job: Job, version: string): void => {
    entries.delete(job.id);
    if (lengthOf(job) > LONGEST) return;
    entries.set(job.id, { job, version });
    if (entries.size <= most) return;
    const [oldest] = entries.keys();
    if (oldest !== undefined) entries.delete(oldest);
  };
  return {
    set,
    has: (id) => entries.has(id),
    get: (id, version) => {
      const entry = entries.get(id);
      if (entry === undefined) return undefined;
      entries.delete(id);
      if (entry.version !== version) return undefined;
      entries.set(id, entry);
      return entry.job;
    },
  };
}

function lengthOf({ parameters, results }: Job): number {
  return parameters.reduce(
    (sum, { name, text }) => sum + name.length + (text?.length ?? 0),
    results.length * RESULT,
  );
}
