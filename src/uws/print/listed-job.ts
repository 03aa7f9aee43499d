import { toCores, toGibibytes } from '../../words/units.ts';
import { describeEntry, type JobReference, type ListedJob, type Places } from '../job.ts';
import { printTime } from '../read/time.ts';

/** What is held for a job: cores, and memory and scratch space in GiB. */
type HeldAmounts = {
  readonly cores: number;
  readonly memory: number;
  readonly scratch: number;
  readonly gpus?: { readonly type: string; readonly count: number };
};

/** A job of the list in JSON; UWS has words for the first fields alone. */
type JobListing = JobReference & {
  /** the same as `runId` */
  readonly name: string | null;
  readonly destination: string;
  /** of its task */
  readonly type: string | null;
  readonly state: string;
  readonly offeredStart: string;
  readonly startTime: string | null;
  readonly endTime: string | null;
  /** seconds */
  readonly executionDuration: number;
  readonly resources: HeldAmounts;
};

export function describeListed(job: ListedJob, places: Places): JobListing {
  return {
    ...describeEntry(job, places),
    name: job.runId,
    destination: job.destination,
    type: job.taskType,
    state: job.state,
    offeredStart: printTime(job.startsAt),
    startTime: job.startedAt && printTime(job.startedAt),
    endTime: job.endedAt && printTime(job.endedAt),
    executionDuration: job.executionS,
    resources: {
      cores: toCores(job.cores),
      memory: toGibibytes(job.memory),
      scratch: toGibibytes(job.scratch),
      ...(job.gpuType !== null && job.gpus > 0
        ? { gpus: { type: job.gpuType, count: job.gpus } }
        : {}),
    },
  };
}
