import { mkdir, readdir, realpath, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectId } from '../words/ids.ts';
import type { StorageBackend } from './backend.ts';
import { copyFileTo, filesBelow, filesWithin } from './tree.ts';

/**
 * Managed storage as a directory tree: `<root>/<object id>`. A save writes a new tree and swaps it
 * in with two renames; if it is interrupted between them, the next load or save completes it.
 *
 * @param root absolute; created if missing
 */
export function directoryBackend(root: string): StorageBackend {
  const place = (object: ObjectId): { now: string; next: string; old: string } => ({
    now: join(root, object),
    next: join(root, `${object}.next`),
    old: join(root, `${object}.old`),
  });

  const recover = async (object: ObjectId): Promise<void> => {
    const { now, old } = place(object);
    if (!(await isThere(now)) && (await isThere(old))) await rename(old, now);
  };

  return {
    load: async (object, directory) => {
      await recover(object);
      const { now } = place(object);
      if (!(await isThere(now))) return;
      const real = await realpath(now);
      for await (const { path } of filesBelow(real))
        await copyFileTo(join(real, path), join(directory, path));
    },
    save: async (object, directory, size, owner) => {
      await recover(object);
      const { now, next, old } = place(object);
      const files = await filesWithin(directory, size, owner);
      await rm(next, { recursive: true, force: true });
      await mkdir(next, { recursive: true, mode: 0o700 });
      for (const { path } of files) await copyFileTo(join(directory, path), join(next, path));
      await rm(old, { recursive: true, force: true });
      if (await isThere(now)) await rename(now, old);
      await rename(next, now);
      await rm(old, { recursive: true, force: true });
    },
    release: async (object) => {
      for (const path of Object.values(place(object)))
        await rm(path, { recursive: true, force: true });
    },
  };
}

function isThere(directory: string): Promise<boolean> {
  return readdir(directory).then(
    () => true,
    () => false,
  );
}
