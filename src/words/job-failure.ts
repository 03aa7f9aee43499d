import type { JobErrorCode } from './catalogue.ts';

/** Why a job cannot run, or its volumes cannot be filled or stored, in words for its client. */
export class JobFailure extends Error {
  override readonly name: string = 'JobFailure';
  readonly code: JobErrorCode;
  /** a new try may help (UWS errorSummary type="transient") */
  readonly transient: boolean;

  constructor(code: JobErrorCode, message: string, transient = false, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.transient = transient;
  }
}
