import type { JobErrorCode } from '../../words/catalogue.ts';

/** Why a job did not come to run in the cluster, as its client reads it. */
export class ClusterFailure extends Error {
  override readonly name = 'ClusterFailure';
  readonly code: JobErrorCode;
  readonly transient: boolean;

  constructor(code: JobErrorCode, message: string, transient = false) {
    super(message);
    this.code = code;
    this.transient = transient;
  }
}

/** The API server answered that it would not. */
export class ClusterRefusal extends Error {
  override readonly name = 'ClusterRefusal';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
