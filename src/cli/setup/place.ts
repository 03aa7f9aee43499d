import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isRoot, isReachable } from '../../places/reachable.ts';
import { openDataFolder } from '../../places/data-folder.ts';

/** Where `planner setup notebooks` makes an environment. */
export type NotebooksPlace = {
  readonly folder: string;
  readonly venv: string;
  readonly python: string;
  /** written when everything is there */
  readonly ready: string;
};

/** The place below a data directory, or below its stand-in where jobs cannot reach that. */
export function notebooksPlace(dataDirectory: string): NotebooksPlace {
  const folder = join(openDataFolder(dataDirectory), 'notebooks');
  const venv = join(folder, 'venv');
  return { folder, venv, python: join(venv, 'bin/python'), ready: join(folder, 'ready.json') };
}

/** The environment of a data directory, if there is one. */
export function readyNotebooks(dataDirectory: string): NotebooksPlace | undefined {
  const path = resolve(dataDirectory);
  // A stand-in may be there without the directory.
  if (!existsSync(path) && !(isRoot() && !isReachable(path))) return undefined;
  const place = placeThere(path);
  if (place === undefined) return undefined;
  // The link to an interpreter that is gone leads nowhere.
  return existsSync(place.ready) && existsSync(place.python) ? place : undefined;
}

/** A directory that cannot be there has nothing; the start says why it cannot. */
function placeThere(path: string): NotebooksPlace | undefined {
  try {
    return notebooksPlace(path);
  } catch {
    return undefined;
  }
}
