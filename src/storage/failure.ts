import { JobFailure } from '../words/job-failure.ts';

/** A volume could not be filled or stored. */
export class StagingFailure extends JobFailure {
  override readonly name = 'StagingFailure';
}

/** The contents do not fit into the rest of the scratch space. */
export function tooLarge(name: string, limit: number): StagingFailure {
  return new StagingFailure(
    'storage-too-large',
    `the volume ${name} would hold more than the ${limit} bytes that are left of the scratch space`,
  );
}

/** No key of the bucket begins with the prefix. */
export function nothingBelow(name: string, bucket: string, prefix: string): StagingFailure {
  return new StagingFailure(
    'storage-load-failed',
    `the volume ${name}: no object in a bucket ${bucket} has a key that begins with ${prefix}`,
  );
}

/** Keys begin with the prefix, and none of them can be the path of a file below it. */
export function noFileBelow(name: string, bucket: string, prefix: string): StagingFailure {
  return new StagingFailure(
    'storage-load-failed',
    `the volume ${name}: no object in a bucket ${bucket} is a file below ${prefix}; ` +
      'a single one is named by its whole key as object',
  );
}
