import { shown } from '../../tasks/task.ts';
import { JobFailure } from '../../words/job-failure.ts';
import { errorText } from '../../words/system-error.ts';
import type { Outcome } from '../port.ts';
import { failedRun, STOPPED_BEFORE } from './outcome.ts';

/** The job was stopped while it was being prepared. */
export class StoppedBefore extends Error {
  override readonly name = 'StoppedBefore';
}

/**
 * The outcome of a job that could not be prepared: the failure that was thrown for its client, or a
 * failure of the engine.
 */
export function unstarted(error: unknown): Outcome {
  if (error instanceof StoppedBefore) return STOPPED_BEFORE;
  return error instanceof JobFailure
    ? failedRun(error.code, error.message, { transient: error.transient })
    : failedRun('runner-failed', `the job could not be started: ${shown(errorText(error))}`);
}
