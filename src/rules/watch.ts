import { watch, type FSWatcher } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * How long changes are gathered, and how often files are looked at where nothing
 * reports changes; milliseconds.
 */
export type WatchTimes = {
  readonly quiet: number;
  readonly longest: number;
  readonly poll: number;
};

/** Editors and `git pull` write many times; a busy folder must not put a reload off for ever. */
export const WATCH_TIMES: WatchTimes = { quiet: 150, longest: 2000, poll: 10_000 };

export type Watch = {
  /** resolves when what is under way is over */
  readonly close: () => Promise<void>;
};

/**
 * Calls `onChange` after files changed: written, replaced by renaming, or reached by a link
 * that leads elsewhere now, as in a mounted ConfigMap. Folders are watched, not files, since a
 * file that is replaced is another one; and the files are looked at from time to time, for
 * file systems that report nothing.
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
      // A folder that goes away: the next look finds out.
      return [watcher.on('error', () => watcher.close())];
    } catch {
      // No such folder, or no watches left: the looks from time to time do.
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
  // What changed while the folders were not watched yet.
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
 * The folders whose entries say which file a path is: its own, and that
 * of the file that links lead to.
 */
async function foldersOf(path: string): Promise<readonly string[]> {
  const real = await realpath(path).catch(() => path);
  return [dirname(path), dirname(real)];
}
