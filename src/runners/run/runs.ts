import { existsSync } from 'node:fs';
import type { RunId } from '../../words/run-id.ts';
import { sharedWork, type SharedWork } from '../../words/shared-work.ts';
import type { Outcome } from '../port.ts';
import { directoryOf, type JobDirectory } from './directory.ts';
import { discard, discardDrafts, type LetGo } from './draft.ts';

/** What a runner of any engine keeps of runs in this process: only what saves work. */
export type Runs = {
  readonly placeOf: (job: RunId) => JobDirectory;
  /** runs that are being prepared and started */
  readonly starting: SharedWork<RunId, void>;
  /** runs whose books are being closed */
  readonly settling: SharedWork<RunId, Outcome>;
  readonly onEnded: (listener: (job: RunId) => void) => void;
  /** Tells everybody that a run has ended, or left the engine's queue. */
  readonly tell: (job: RunId) => void;
  /**
   * Makes sure that nobody can put anything in the place of a run any more.
   * @returns whether something is there
   */
  readonly closePlace: (job: RunId) => Promise<boolean>;
  /** Removes everything in the place of a run. */
  readonly discard: (job: RunId) => Promise<void>;
  readonly settled: () => Promise<unknown>;
};

/** @param letGo ends what is lent to a draft */
export function openRuns(jobsRoot: string, letGo: LetGo): Runs {
  const starting = sharedWork<RunId, void>();
  const settling = sharedWork<RunId, Outcome>();
  const listeners: ((job: RunId) => void)[] = [];
  const placeOf = (job: RunId): JobDirectory => directoryOf(jobsRoot, job);
  return {
    placeOf,
    starting,
    settling,
    onEnded: (listener) => void listeners.push(listener),
    tell: (job) => {
      for (const listener of listeners) listener(job);
    },
    closePlace: async (job) => {
      await discardDrafts(jobsRoot, job, letGo);
      return existsSync(placeOf(job).root);
    },
    discard: (job) => discard(jobsRoot, placeOf(job).root),
    settled: () => Promise.all([starting.settled(), settling.settled()]),
  };
}
