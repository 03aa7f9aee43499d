import { hash } from 'node:crypto';
import { mkdir, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectId } from '../words/ids.ts';
import { errorCode } from '../words/system-error.ts';
import type { StorageBackend } from './backend.ts';
import { copyFileTo, filesBelow, filesWithin } from './tree.ts';

/** How often a load begins anew because others stored newer contents meanwhile. */
const MOST_LOADS = 10;

/**
 * Managed storage as a directory tree: `<root>/<object id>`. A save writes a new tree of its own and
 * swaps it in with two renames; if it is interrupted between them, the next load or save completes
 * it. Of several saves at the same time the last one stays, and all of it.
 *
 * @param root absolute; created if missing
 */
export function directoryBackend(root: string): StorageBackend {
  const placeOf = (object: ObjectId): string => join(root, object);

  return {
    load: async (object, directory) => {
      for (let tries = 1; ; tries += 1) {
        await recover(root, object);
        const before = await stampOf(placeOf(object));
        if (before === undefined) return;
        const error: unknown = await copyTree(placeOf(object), directory).then(
          () => undefined,
          (failure: unknown) => failure,
        );
        const isSame = (await stampOf(placeOf(object))) === before;
        if (isSame && error === undefined) return;
        if (isSame) throw error;
        if (tries === MOST_LOADS)
          throw new Error('others store it again and again while it is copied', { cause: error });
        await empty(directory);
      }
    },
    save: async (object, directory, size, owner) => {
      await recover(root, object);
      const [next, old] = [
        `${placeOf(object)}.next-${tagOf(directory)}`,
        `${placeOf(object)}.old-${tagOf(directory)}`,
      ];
      const files = await filesWithin(directory, size, owner);
      await rm(next, { recursive: true, force: true });
      try {
        await mkdir(next, { recursive: true, mode: 0o700 });
        for (const { path } of files) await copyFileTo(join(directory, path), join(next, path));
        await swapIn(next, placeOf(object), old);
      } finally {
        // On a full disc what was copied would keep its room until the object's end.
        await rm(next, { recursive: true, force: true });
      }
    },
    release: async (object) => {
      for (const name of await namesOf(root, object))
        await rm(join(root, name), { recursive: true, force: true });
    },
  };
}

/** Of one job: its repeated save removes what an interrupted one left, and no other's. */
function tagOf(directory: string): string {
  return hash('sha256', directory).slice(0, 16);
}

/** Puts a tree in its place. Others may put theirs there meanwhile, and then ours replaces theirs. */
async function swapIn(next: string, now: string, old: string): Promise<void> {
  for (let isIn = false; !isIn;) {
    await rm(old, { recursive: true, force: true });
    await renameUnless(['ENOENT'], now, old);
    isIn = await renameUnless(['ENOTEMPTY', 'EEXIST'], next, now);
  }
  await rm(old, { recursive: true, force: true });
}

/** @returns false for one of the errors */
async function renameUnless(errors: readonly string[], from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (errors.includes(errorCode(error) ?? '')) return false;
    throw error;
  }
}

/** Puts the old tree back if a save was interrupted between its renames. */
async function recover(root: string, object: ObjectId): Promise<void> {
  const now = join(root, object);
  if ((await stampOf(now)) !== undefined) return;
  const olds = (await namesOf(root, object)).filter((name) => name.startsWith(`${object}.old`));
  const times = await Promise.all(
    olds.map(async (name) => {
      const stats = await stat(join(root, name)).catch(() => undefined);
      return { path: join(root, name), at: stats?.ctimeMs ?? 0 };
    }),
  );
  // An older one is of a save that was interrupted later, when it had nothing left to do but tidy.
  const [latest] = times.toSorted((one, other) => other.at - one.at);
  if (latest !== undefined) await renameUnless(['ENOENT', 'ENOTEMPTY', 'EEXIST'], latest.path, now);
}

/** The trees of an object: what is stored, and what saves have not finished. */
async function namesOf(root: string, object: ObjectId): Promise<readonly string[]> {
  const names = await readdir(root).catch(() => []);
  return names.filter((name) => name === object || name.startsWith(`${object}.`));
}

/** Tells a tree from the next one in its place; undefined if there is none. */
async function stampOf(path: string): Promise<string | undefined> {
  const stats = await stat(path, { bigint: true }).catch(() => undefined);
  return stats?.isDirectory() === true ? `${stats.ino}.${stats.ctimeNs}` : undefined;
}

async function copyTree(from: string, to: string): Promise<void> {
  const real = await realpath(from);
  for await (const { path } of filesBelow(real)) await copyFileTo(join(real, path), join(to, path));
}

async function empty(directory: string): Promise<void> {
  for (const name of await readdir(directory))
    await rm(join(directory, name), { recursive: true, force: true });
}
