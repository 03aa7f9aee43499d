import { textOf } from '../../words/record.ts';
import type { JobError } from '../job.ts';

/**
 * Reads the column job.error, which executors and SQL functions write; a default replaces each
 * missing part.
 */
export function readJobError(stored: unknown): JobError | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const { code, type, message, detail } = {
    code: '',
    type: '',
    message: '',
    detail: '',
    ...stored,
  };
  return {
    code: textOf(code) || 'runner-failed',
    type: type === 'transient' ? 'transient' : 'fatal',
    message: textOf(message) || 'The job failed.',
    detail: textOf(detail),
  };
}
