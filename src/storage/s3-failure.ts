import { isRecord } from '../words/record.ts';
import { StagingFailure } from './failure.ts';

/**
 * The failure for data that is missing, or that this site may not read; any other error stays as it
 * is.
 *
 * @param volume its name
 * @param object undefined: several of the bucket
 */
export function s3FailureOf(
  error: unknown,
  volume: string,
  bucket: string,
  object: string | undefined,
): unknown {
  const sentence = sentenceOf(
    error,
    object === undefined ? `bucket ${bucket}` : `object ${object} in a bucket ${bucket}`,
  );
  return sentence === undefined
    ? error
    : new StagingFailure(
        'storage-load-failed',
        `the volume ${volume}: ${sentence}`,
        Number(statusOf(error)) >= 500,
      );
}

function sentenceOf(error: unknown, what: string): string | undefined {
  const status = statusOf(error);
  switch (status) {
    case undefined:
      return undefined;
    case 401:
    case 403:
      return `the service does not let this site read ${what}`;
    case 404:
      return `the service has no ${what}`;
    // The response to a HEAD has no body, and that of a proxy is no XML: there is only its status.
    default:
      return error instanceof Error && /^UnknownError$|XML parse error/.test(error.message)
        ? `the service answers ${String(status)} for ${what}`
        : undefined;
  }
}

function statusOf(error: unknown): unknown {
  return isRecord(error) && isRecord(error['$metadata'])
    ? error['$metadata']['httpStatusCode']
    : undefined;
}
