import { watch, type FSWatcher } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * How long changes are collected, and how often files are polled in case nothing reports changes;
 * milliseconds.
 */
export type WatchTimes = {
  readonly quiet: number;
  readonly longest: number;
  readonly poll: number;
};

/**
 * Editors and `git pull` write many times, so changes are collected; `longest` ends the wait in a
 * busy folder.
 */
export const WATCH_TIMES: WatchTimes = { quiet: 150, longest: 2000, poll: 10_000 };

export type Watch = {
  /** resolves after a callback under way */
  readonly close: () => Promise<void>;
};

/**
 * Calls `onChange` after files changed: written, replaced by renaming, or reached through a link
 * with another target, as in a mounted ConfigMap. It watches folders, because a replaced file is
 * another inode; and it polls the files, because some file systems report nothing.
 *
 * @param paths absolute
 */
export async function watchFiles(
  paths: readonly string[],
  times: WatchTimes,
  onChange: () => void,
): Promise<Watch> {
  let seen = await fingerprints(paths);
  let watchers: readonly FSWatcher[] = [];
  let pending: NodeJS.Timeout | undefined;
  let firstEvent: number | undefined;
  let isClosed = false;
  let looking: Promise<void> = Promise.resolve();

  const look = async (): Promise<void> => {
    pending = undefined;
    firstEvent = undefined;
    const now = await fingerprints(paths);
    if (isClosed || now === seen) return;
    seen = now;
    await arm();
    if (!isClosed) onChange();
  };
  const lookSoon = (): void => {
    looking = looking.then(look);
  };

  const noticed = (): void => {
    if (isClosed) return;
    firstEvent ??= performance.now();
    const left = times.longest - (performance.now() - firstEvent);
    clearTimeout(pending);
    pending = setTimeout(lookSoon, Math.max(0, Math.min(times.quiet, left)));
  };

  const watchFolder = (folder: string): readonly FSWatcher[] => {
    try {
      const watcher = watch(folder, { persistent: false }, noticed);
      // The folder may be gone; polling notices that.
      return [watcher.on('error', () => watcher.close())];
    } catch {
      // No such folder, or no watches left: polling finds changes.
      return [];
    }
  };

  const disarm = (): void => {
    for (const watcher of watchers) watcher.close();
    watchers = [];
  };
  const arm = async (): Promise<void> => {
    const folders = new Set((await Promise.all(paths.map(foldersOf))).flat());
    disarm();
    if (!isClosed) watchers = [...folders].flatMap(watchFolder);
  };

  await arm();
  // Files may have changed before the watches began.
  noticed();
  const poll = setInterval(lookSoon, times.poll);
  return {
    close: async () => {
      isClosed = true;
      clearInterval(poll);
      clearTimeout(pending);
      await looking;
      disarm();
    },
  };
}

async function fingerprints(paths: readonly string[]): Promise<string> {
  return (await Promise.all(paths.map(fingerprint))).join('\n');
}

async function fingerprint(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(':');
  } catch {
    return 'missing';
  }
}

/**
 * The folders whose entries decide which file a path is: its own, and that of the link's target.
 */
async function foldersOf(path: string): Promise<readonly string[]> {
  const real = await realpath(path).catch(() => path);
  return [dirname(path), dirname(real)];
}
