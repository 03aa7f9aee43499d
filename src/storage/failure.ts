import { JobFailure } from '../words/job-failure.ts';

/** Why a volume could not be filled or stored. */
export class StagingFailure extends JobFailure {
  override readonly name = 'StagingFailure';
}

/** Contents that do not fit into what is left of the scratch space. */
export function tooLarge(name: string, limit: number): StagingFailure {
  return new StagingFailure(
    'storage-too-large',
    `the volume ${name} would hold more than the ${limit} bytes that are left of the scratch space`,
  );
}

/** A prefix that no key of a bucket begins with. */
export function nothingBelow(name: string, bucket: string, prefix: string): StagingFailure {
  return new StagingFailure(
    'storage-load-failed',
    `the volume ${name}: no object in a bucket ${bucket} has a key that begins with ${prefix}`,
  );
}
