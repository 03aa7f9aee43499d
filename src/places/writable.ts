import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';
import { CannotStart } from '../words/cannot-start.ts';
import { errorCode, errorText } from '../words/system-error.ts';

/** A folder, and the setting with which an operator moves it. */
type OperatorFolder = { readonly folder: string; readonly setting: string };

/** A file system may have room for a name but not for a block. */
const BLOCK = Buffer.alloc(4096);

/**
 * Checks by writing that a folder is writable or can be made; does not make it.
 *
 * @throws CannotStart with the folder, the reason and the remedy
 */
export function mustBeWritable({ folder, setting }: OperatorFolder): void {
  const path = resolve(folder);
  const place = { path };
  try {
    place.path = nearestThere(path);
    tryOut(place.path);
  } catch (error) {
    const at = place.path === path ? path : `${path} cannot be made: ${place.path}`;
    const why = wrongWith(errorCode(error)) ?? noFiles(error) ?? errorText(error);
    throw new CannotStart(
      `${setting} ${at} cannot be written: ${why}, or set ${setting} to another folder.`,
      { cause: error },
    );
  }
}

/** An error of the file system during a start as a sentence; other errors as they are. */
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

/** Why a write failed, and the remedy; undefined for other errors. */
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
      return `its user ${process.getuid?.() ?? ''} may not write there; allow it`;
    case 'ENOTDIR':
      return 'it is a file and not a folder; move it away';
    default:
      return undefined;
  }
}

/** Why a folder that is there takes no file, as those below /proc. */
function noFiles(error: unknown): string | undefined {
  return errorCode(error) === 'ENOENT'
    ? 'its file system takes no files of ours; mount another there'
    : undefined;
}

function causeOf(error: Error): unknown {
  const plain = plainOf(error.cause);
  return plain instanceof CannotStart ? plain : error;
}
