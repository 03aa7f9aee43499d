import type { Outcome, StopReason } from '../runners/port.ts';
import { JOB_ERRORS, type JobErrorCode } from '../words/catalogue.ts';
import type { JobEnding } from './claims.ts';
import { errorText } from '../words/system-error.ts';

const STOPPED: Readonly<
  Record<StopReason, { readonly state: 'FAILED' | 'CANCELLED'; readonly code: JobErrorCode }>
> = {
  cancelled: { state: 'CANCELLED', code: 'aborted' },
  // Longer than the offered maximum duration: UWS ABORTED with a
  // summary that says so (UWS § 2.1.4).
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

/** An engine that could not even try. */
export function engineFailure(error: unknown): Outcome {
  return {
    kind: 'failed',
    results: [],
    code: 'runner-failed',
    message: `The engine could not run the job: ${errorText(error)}`,
    detail: '',
    transient: true,
  };
}

/** A run of which nothing is left to look at. */
export function lostRun(why: string): Outcome {
  return {
    kind: 'failed',
    results: [],
    code: 'run-lost',
    message: `The run was lost: ${why}. It was not started again; submit it again.`,
    detail: '',
    transient: true,
  };
}

function isJobErrorCode(code: string): code is JobErrorCode {
  return Object.hasOwn(JOB_ERRORS, code);
}
