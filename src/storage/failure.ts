import type { JobErrorCode } from '../words/catalogue.ts';

/** Why a volume could not be filled or stored; `transient` is true when trying again may help. */
export class StagingFailure extends Error {
  readonly code: JobErrorCode;
  readonly transient: boolean;

  constructor(code: JobErrorCode, message: string, transient = false) {
    super(message);
    this.name = 'StagingFailure';
    this.code = code;
    this.transient = transient;
  }
}

/** Contents that do not fit into what is left of the scratch space. */
export const tooLarge = (name: string, limit: number): StagingFailure =>
  new StagingFailure('storage-too-large', `the volume ${name} would hold more than the ${limit} bytes that are left of the scratch space`);
