import type { JobErrorCode } from '../../words/catalogue.ts';

/** Why a job cannot be given to Slurm. */
export class SlurmFailure extends Error {
  override readonly name = 'SlurmFailure';
  readonly code: JobErrorCode;
  readonly transient: boolean;

  constructor(code: JobErrorCode, message: string, transient = false) {
    super(message);
    this.code = code;
    this.transient = transient;
  }
}
