import type { JobErrorCode } from '../../words/catalogue.ts';

/** Why a container did not begin, as its client reads it. */
export class ContainerFailure extends Error {
  readonly code: JobErrorCode;
  readonly transient: boolean;

  constructor(code: JobErrorCode, message: string, transient = false) {
    super(message);
    this.name = 'ContainerFailure';
    this.code = code;
    this.transient = transient;
  }
}
