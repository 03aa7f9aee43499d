import { isRecord } from '../words/record.ts';
import { errorCode } from '../words/system-error.ts';

/** The run cannot begin now, and will be able to later. */
export class NotYet extends Error {
  override readonly name = 'NotYet';
}

/**
 * The engine has the job, or may have it, and could not be asked, or nobody could say whose the job
 * is: the job stays there, and is given again to the same runner.
 */
export class GiveAgain extends Error {
  override readonly name = 'GiveAgain';
}

/** Errors of a machine that lacks room on the disc, files, processes or memory for a while. */
const MACHINE: ReadonlySet<string> = new Set([
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'EAGAIN',
]);
/** Errors of an engine that is being restarted. */
const ENGINE: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
]);

/**
 * Whether an error that kept a run from beginning passes by itself: then the job waits and does not
 * fail.
 */
export function isPassing(error: unknown): boolean {
  return error instanceof NotYet || isOfEngine(error) || isOfMachine(error);
}

function isOfEngine(error: unknown): boolean {
  // ENOENT: a socket that is not there yet.
  return (
    ENGINE.has(errorCode(error) ?? '') ||
    (errorCode(error) === 'ENOENT' && isRecord(error) && error['syscall'] === 'connect')
  );
}

function isOfMachine(error: unknown): boolean {
  if (MACHINE.has(errorCode(error) ?? '')) return true;
  return error instanceof Error && error.cause !== undefined && isOfMachine(error.cause);
}
