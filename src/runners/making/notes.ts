import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from '../../words/record.ts';
import { readJson } from '../run/directory.ts';
import type { MadePlaces } from './places.ts';

/** What is written of an environment that is ready. */
export type Note = {
  /** name of its folder */
  readonly folder: string;
  readonly terms: string;
  readonly megabytes: number;
};

/** A note, and when a run took the environment last. */
export type DatedNote = Note & { readonly key: string; readonly usedAt: number };

/** Where the note of a key is. */
export function noteOf({ ready }: MadePlaces, key: string): string {
  return join(ready, `${key}${SUFFIX}`);
}

/** @returns undefined when there is none, or nonsense */
export async function readNote(path: string): Promise<Note | undefined> {
  const value = await readJson(path);
  if (!isRecord(value)) return undefined;
  const { folder, terms, megabytes } = value;
  return typeof folder === 'string' && typeof terms === 'string' && typeof megabytes === 'number'
    ? { folder, terms, megabytes }
    : undefined;
}

/** The notes of all environments that are ready. */
export async function allNotes({ ready }: MadePlaces): Promise<readonly DatedNote[]> {
  const names = await readdir(ready);
  const found = await Promise.all(
    names
      .filter((name) => name.endsWith(SUFFIX))
      .map(async (name) => {
        const path = join(ready, name);
        const note = await readNote(path);
        const usedAt = await changedAt(path);
        const key = name.slice(0, -SUFFIX.length);
        return note === undefined || usedAt === undefined ? [] : [{ ...note, key, usedAt }];
      }),
  );
  return found.flat();
}

/** Milliseconds; undefined: it is not there. */
export async function changedAt(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.mtimeMs;
}

const SUFFIX = '.json';
