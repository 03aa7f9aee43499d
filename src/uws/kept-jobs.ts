import type { JobId } from '../words/ids.ts';
import type { Job } from './job.ts';

type Entry = { readonly job: Job; readonly version: string };

/** Jobs that were read lately, each with its version; what is printed of them is kept with them (`show.ts`). */
export type Kept = {
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

/** @param most jobs; beyond that the one that was not asked for longest goes */
export const openKept = (most: number = MOST): Kept => {
  const entries = new Map<JobId, Entry>();
  const set = (job: Job, version: string): void => {
    entries.delete(job.id);
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
};
