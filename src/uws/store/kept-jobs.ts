import type { JobId } from '../../words/ids.ts';
import type { Job } from '../job.ts';

type Entry = { readonly job: Job; readonly version: string };

/**
 * Jobs that were read lately, each with its version. Their printed documents are kept with them
 * (`show-documents.ts`).
 */
type KeptJobs = {
  readonly has: (id: JobId) => boolean;
  /**
   * The job in that version; a job of another version is forgotten.
   *
   * @param version undefined when the job is gone
   */
  readonly get: (id: JobId, version: string | undefined) => Job | undefined;
  readonly set: (job: Job, version: string) => void;
};

const MOST = 2000;
/**
 * Longest job to keep, characters. A job has up to 1 MiB of parameters and 1,000 results; a longer
 * one is read each time.
 */
const LONGEST = 16 * 1024;
const RESULT = 200;

/** @param most largest number of jobs; above it, the least recently used one goes */
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
