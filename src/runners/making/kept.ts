import { existsSync } from 'node:fs';
import { mkdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MadeTerms } from '../../environments/environment.ts';
import type { RunId } from '../../words/run-id.ts';
import { writeJson, writeJsonOnce } from '../run/directory.ts';
import { trim } from './housekeeping.ts';
import { noteOf, readNote } from './notes.ts';
import { keyOfTerms, placesOf } from './places.ts';

/** An environment that is ready. */
export type KeptVenv = {
  /** its folder, absolute */
  readonly folder: string;
  readonly python: string;
};

/**
 * The environment of a key, for a run that keeps it from being removed; undefined: there is none
 * that works.
 */
export async function takeKept(
  jobsRoot: string,
  key: string,
  run: RunId,
): Promise<KeptVenv | undefined> {
  const places = placesOf(jobsRoot);
  const path = noteOf(places, key);
  const note = await readNote(path);
  if (note === undefined) return undefined;
  const uses = join(places.uses, note.folder);
  await mkdir(uses, { recursive: true, mode: 0o700 });
  const use = join(uses, run);
  await writeFile(use, '', { mode: 0o600 });
  // Whoever removes it takes the note away, and then looks for uses again.
  if ((await readNote(path))?.folder !== note.folder) return takeKept(jobsRoot, key, run);
  const kept = keptIn(join(places.made, note.folder));
  // A link to an interpreter that is gone leads nowhere.
  if (!existsSync(kept.python)) return undefined;
  // The time of the store: the clocks of its hosts may differ.
  await stat(use)
    .then(({ mtime }) => utimes(path, mtime, mtime))
    .catch(() => undefined);
  return kept;
}

/**
 * Keeps a new environment, and removes those that are too many then.
 *
 * @returns false when another host has kept one under the key, which works
 */
export async function keep(
  jobsRoot: string,
  key: string,
  terms: MadeTerms,
  made: { readonly id: string; readonly megabytes: number; readonly installed: readonly string[] },
): Promise<boolean> {
  const places = placesOf(jobsRoot);
  const path = noteOf(places, key);
  const note = {
    folder: made.id,
    terms: keyOfTerms(terms),
    megabytes: made.megabytes,
    installed: made.installed,
  };
  await writeJsonOnce(path, note);
  const there = (await readNote(path))?.folder;
  if (there !== made.id) {
    if (there !== undefined && existsSync(keptIn(join(places.made, there)).python)) return false;
    await writeJson(path, note);
  }
  await trim(jobsRoot, terms, key);
  return true;
}

/** Where an environment is in its folder. */
function keptIn(folder: string): KeptVenv {
  return { folder: join(folder, 'venv'), python: join(folder, 'venv/bin/python') };
}
