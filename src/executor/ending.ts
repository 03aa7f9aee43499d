import type { Outcome, StopReason } from '../runners/port.ts';
import { failedRun } from '../runners/run/outcome.ts';
import { JOB_ERRORS, type JobErrorCode } from '../words/catalogue.ts';
import type { JobEnding } from './claims/attempts.ts';
import { errorText } from '../words/system-error.ts';

const STOPPED: Readonly<
  Record<StopReason, { readonly state: 'FAILED' | 'CANCELLED'; readonly code: JobErrorCode }>
> = {
  cancelled: { state: 'CANCELLED', code: 'aborted' },
  // A run that is longer than was offered is ABORTED, and its summary says so (UWS 1.1 § 2.1.4).
  'wall-time': { state: 'CANCELLED', code: 'wall-time-exceeded' },
  'cpu-time': { state: 'FAILED', code: 'cpu-time-exceeded' },
  memory: { state: 'FAILED', code: 'memory-exceeded' },
  output: { state: 'FAILED', code: 'output-exceeded' },
};

/** The session state and error summary that an outcome of a run becomes. */
export function jobEndingOf(outcome: Outcome): JobEnding {
  switch (outcome.kind) {
    case 'completed':
      return { state: 'COMPLETED', fault: null };
    case 'failed': {
      const { message, detail, transient } = outcome;
      const code = isJobErrorCode(outcome.code) ? outcome.code : 'runner-failed';
      return {
        state: 'FAILED',
        fault: { code, type: transient ? 'transient' : 'fatal', message, detail },
      };
    }
    case 'stopped': {
      const { state, code } = STOPPED[outcome.reason];
      return { state, fault: { code, type: 'fatal', message: outcome.message } };
    }
    default:
      return outcome satisfies never;
  }
}

/** The outcome of an engine that could not even try. */
export function engineFailure(error: unknown): Outcome {
  return failedRun('runner-failed', `The engine could not run the job: ${errorText(error)}`);
}

/** The outcome of a run of which nothing is left to look at. */
export function lostRun(why: string): Outcome {
  return failedRun(
    'run-lost',
    `The run was lost: ${why}. It was not started again; submit it again.`,
  );
}

function isJobErrorCode(code: string): code is JobErrorCode {
  return Object.hasOwn(JOB_ERRORS, code);
}
