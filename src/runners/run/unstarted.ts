import { shown } from '../../tasks/task.ts';
import { JobFailure } from '../../words/job-failure.ts';
import { errorText } from '../../words/system-error.ts';
import { failedRun, type FailedRun } from './outcome.ts';

/**
 * The outcome of a job that could not be prepared: the failure that was thrown for its client, or a
 * failure of the engine.
 */
export function unstarted(error: unknown): FailedRun {
  return error instanceof JobFailure
    ? failedRun(error.code, error.message, { transient: error.transient })
    : failedRun('runner-failed', `the job could not be started: ${shown(errorText(error))}`);
}
