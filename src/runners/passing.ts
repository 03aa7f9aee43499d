import { isRecord } from '../words/record.ts';
import { errorCode } from '../words/system-error.ts';

/** Why a run cannot begin for the time being, and will be able to. */
export class NotYet extends Error {
  override readonly name = 'NotYet';
}

/**
 * The engine has it, or may have it, and could not be asked: it stays where it is, and is
 * given again to the same runner.
 */
export class GiveAgain extends Error {
  override readonly name = 'GiveAgain';
}

/** What a machine lacks for a while: room on the disc, files, processes, memory. */
const MACHINE: ReadonlySet<string> = new Set([
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'EAGAIN',
]);
/** What is said of an engine that is being started anew. */
const ENGINE: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
]);

/**
 * Whether what kept a run from beginning passes by itself: then the job waits and does not fail.
 */
export function isPassing(error: unknown): boolean {
  return error instanceof NotYet || isOfEngine(error) || isOfMachine(error);
}

function isOfEngine(error: unknown): boolean {
  // A socket that is not there yet.
  return (
    ENGINE.has(errorCode(error) ?? '') ||
    (errorCode(error) === 'ENOENT' && isRecord(error) && error['syscall'] === 'connect')
  );
}

function isOfMachine(error: unknown): boolean {
  if (MACHINE.has(errorCode(error) ?? '')) return true;
  return error instanceof Error && error.cause !== undefined && isOfMachine(error.cause);
}
