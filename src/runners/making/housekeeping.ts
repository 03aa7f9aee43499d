import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MadeTerms } from '../../environments/environment.ts';
import { parseRunId } from '../../words/run-id.ts';
import { directoryOf, removeTree } from '../run/directory.ts';
import { DRAFTS, runOfHolder } from '../run/draft.ts';
import { allNotes, changedAt, noteOf, type DatedNote } from './notes.ts';
import { keyOfTerms, markOf, placesOf, type MadePlaces } from './places.ts';

/** Settings may change and leave environments that nobody asks for. */
const UNUSED_MS = 30 * 86_400_000;
/** A making or removal that died leaves what it had begun. */
const HALF_MADE_MS = 2 * 3_600_000;
/** Ends the name of the note of an environment that is being removed. */
const HIDDEN = '.gone';

/**
 * Removes the environments that are beyond the bounds, the longest unused first, and what dead
 * makings left.
 *
 * @param newest key of the one that is kept whatever the bounds are
 */
export async function trim(jobsRoot: string, terms: MadeTerms, newest: string): Promise<void> {
  const places = placesOf(jobsRoot);
  const now = await timeAt(places);
  const all = await allNotes(places);
  let [count, megabytes] = [0, 0];
  for (const one of all.toSorted((a, b) => b.usedAt - a.usedAt)) {
    if (one.key === newest || one.terms === keyOfTerms(terms)) {
      count += 1;
      megabytes += one.megabytes;
      if (one.key === newest || (count <= terms.most && megabytes <= terms.size)) continue;
    } else if (now - one.usedAt < UNUSED_MS) continue;
    await removeKept(jobsRoot, places, one, now);
  }
  await removeUnknown(jobsRoot, places, now);
}

/** Removes the folder of an environment. */
export async function removeMade(places: MadePlaces, folder: string): Promise<void> {
  await removeTree(join(places.made, folder));
  await rm(join(places.uses, folder), { recursive: true, force: true });
}

/** Takes its note away first, so that no run finds half of it; it comes back if one has it by then. */
async function removeKept(
  jobsRoot: string,
  places: MadePlaces,
  { key, folder }: DatedNote,
  now: number,
): Promise<void> {
  if (await isInUse(jobsRoot, places, folder)) return;
  const note = noteOf(places, key);
  const hidden = `${note}${HIDDEN}`;
  try {
    // What is hidden for long belongs to a removal that died.
    await utimes(note, new Date(now), new Date(now));
    await rename(note, hidden);
  } catch {
    return;
  }
  if (await isInUse(jobsRoot, places, folder)) return rename(hidden, note);
  await removeMade(places, folder);
  await rm(hidden, { force: true });
}

/** Removes the folders without a note, which no run has and no making renews. */
async function removeUnknown(jobsRoot: string, places: MadePlaces, now: number): Promise<void> {
  const used = await readdir(places.uses);
  const made = await readdir(places.made);
  const known = new Set((await allNotes(places)).map(({ folder }) => folder));
  for (const folder of made) {
    const since =
      (await changedAt(markOf(places, folder))) ?? (await changedAt(join(places.made, folder)));
    const isOld = since !== undefined && now - since > HALF_MADE_MS;
    if (!isOld || known.has(folder) || (await isInUse(jobsRoot, places, folder))) continue;
    await removeMade(places, folder);
  }
  for (const folder of used)
    if (!made.includes(folder))
      await rm(join(places.uses, folder), { recursive: true, force: true });
  for (const name of await readdir(places.ready)) {
    if (!name.endsWith(HIDDEN)) continue;
    const path = join(places.ready, name);
    const since = await changedAt(path);
    if (since !== undefined && now - since > HALF_MADE_MS) await rm(path, { force: true });
  }
}

/** Whether a run that has it is prepared, waits or runs. */
async function isInUse(jobsRoot: string, places: MadePlaces, folder: string): Promise<boolean> {
  const uses = join(places.uses, folder);
  // Read before the drafts: a run has its draft before its use, and then its place.
  const names = await readdir(uses).catch((): readonly string[] => []);
  const drafts = await readdir(join(jobsRoot, DRAFTS)).catch((): readonly string[] => []);
  const prepared = new Set(drafts.map(runOfHolder));
  for (const name of names) {
    const run = parseRunId(name);
    if (run === undefined) continue;
    const { root, outcome } = directoryOf(jobsRoot, run);
    if (prepared.has(run) || (existsSync(root) && !existsSync(outcome))) return true;
    await rm(join(uses, name), { force: true });
  }
  return false;
}

/** The time of the store, by which its files are dated: the clocks of its hosts may differ. */
async function timeAt({ uses }: MadePlaces): Promise<number> {
  const path = join(uses, randomUUID());
  await writeFile(path, '', { mode: 0o600, flag: 'wx' });
  const now = await changedAt(path);
  await rm(path, { force: true });
  return now ?? Date.now();
}
