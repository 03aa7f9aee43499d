import { shown } from '../../tasks/task.ts';
import { JobFailure } from '../../words/job-failure.ts';
import type { Outcome } from '../port.ts';
import { errorText } from '../../words/system-error.ts';

/**
 * The outcome of a job that could not be prepared: what was thrown for its client to read, or
 * that it was the engine's doing.
 */
export function unstarted(error: unknown): Extract<Outcome, { readonly kind: 'failed' }> {
  const failed = { kind: 'failed', results: [], detail: '' } as const;
  if (error instanceof JobFailure)
    return { ...failed, code: error.code, message: error.message, transient: error.transient };
  return {
    ...failed,
    code: 'runner-failed',
    message: `the job could not be started: ${shown(errorText(error))}`,
    transient: true,
  };
}
