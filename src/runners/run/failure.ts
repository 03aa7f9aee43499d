import type { JobErrorCode } from '../../words/catalogue.ts';
import { isRecord } from '../../words/record.ts';

/** What the runner's own program says about a failure. */
export type Failure = {
  readonly code: JobErrorCode;
  readonly message: string;
  readonly detail: string;
};

/** The file in the job's `out` directory with that failure. */
export const FAILURE_FILE = 'failure.json';

/**
 * Reads a failure that the runner's program left; long texts are cut, because a job can write there too.
 */
export function parseFailure(value: unknown): Failure | undefined {
  if (!isRecord(value)) return undefined;
  const { code, message, detail } = value;
  if (code !== 'notebook-cell-failed' && code !== 'notebook-invalid') return undefined;
  if (typeof message !== 'string' || typeof detail !== 'string') return undefined;
  return { code, message: message.slice(0, 500), detail: detail.slice(-20_000) };
}
