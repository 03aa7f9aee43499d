import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';
import { CannotStart } from '../words/cannot-start.ts';
import { errorCode, errorText } from '../words/system-error.ts';

/** A folder, and what its operator sets to have it elsewhere. */
export type OperatorFolder = { readonly folder: string; readonly setting: string };

/** A file system may have room for a name and none for a block. */
const BLOCK = Buffer.alloc(4096);

/**
 * Sees, by writing, that there is a folder to write to, or that it can be made; none is made.
 *
 * @throws CannotStart that names the folder, what is wrong, and what would be right
 */
export function mustBeWritable({ folder, setting }: OperatorFolder): void {
  const path = resolve(folder);
  const place = { path };
  try {
    place.path = nearestThere(path);
    tryOut(place.path);
  } catch (error) {
    const at = place.path === path ? path : `${path} cannot be made: ${place.path}`;
    const why = wrongWith(errorCode(error)) ?? errorText(error);
    throw new CannotStart(
      `${setting} ${at} cannot be written: ${why}, or set ${setting} to another folder.`,
      { cause: error },
    );
  }
}

/**
 * An error of the file system that came later in a start, in a sentence; every other one as it is.
 */
export function plainOf(error: unknown): unknown {
  if (error instanceof CannotStart || !(error instanceof Error)) return error;
  const why = wrongWith(errorCode(error));
  const { path, dest }: { readonly path?: unknown; readonly dest?: unknown } = Object(error);
  if (why === undefined || typeof path !== 'string')
    return error.cause === undefined ? error : causeOf(error);
  return new CannotStart(`${typeof dest === 'string' ? dest : path} cannot be written: ${why}.`, {
    cause: error,
  });
}

function nearestThere(folder: string): string {
  try {
    if (statSync(folder, { throwIfNoEntry: false }) !== undefined || folder === dirname(folder))
      return folder;
  } catch (error) {
    if (errorCode(error) !== 'ENOTDIR') throw error;
  }
  return nearestThere(dirname(folder));
}

function tryOut(folder: string): void {
  if (!statSync(folder).isDirectory())
    throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
  const file = join(folder, `.planner-${randomUUID()}`);
  const opened = openSync(file, 'wx', 0o600);
  try {
    if (writeSync(opened, BLOCK) < BLOCK.length)
      throw Object.assign(new Error('no room'), { code: 'ENOSPC' });
  } finally {
    closeSync(opened);
    rmSync(file);
  }
}

/**
 * What is wrong where something cannot be written, and what would be right; undefined for an
 * error that says something else.
 */
function wrongWith(code: string | undefined): string | undefined {
  switch (code) {
    case 'EROFS':
      return 'it is on a file system that is mounted read-only; mount it for writing';
    case 'ENOSPC':
      return 'its disc is full; make room';
    case 'EDQUOT':
      return 'the quota of this account is used up; make room';
    case 'EACCES':
    case 'EPERM':
      return `the user ${process.getuid?.() ?? ''} that this runs as may not write there; allow it`;
    case 'ENOTDIR':
      return 'it is a file and no folder; move it away';
    default:
      return undefined;
  }
}

function causeOf(error: Error): unknown {
  const plain = plainOf(error.cause);
  return plain instanceof CannotStart ? plain : error;
}
