import { constants } from 'node:fs';
import { open, realpath, type FileHandle } from 'node:fs/promises';
import { filePath, isBelowPath, type UrlPolicy } from '../../../tasks/url-policy.ts';
import type { EngineApi } from './client.ts';
import { JobFailure } from '../../../words/job-failure.ts';
import { progressOf } from './progress.ts';

/** Opens an archive in a directory that the site lends. @throws JobFailure */
export async function openLent(text: string, { fileRoots }: UrlPolicy): Promise<FileHandle> {
  const url = URL.parse(text);
  const path = url === null ? undefined : filePath(url);
  // O_NONBLOCK: opening a FIFO without a writer would wait for ever.
  const file = await open(path ?? '', constants.O_RDONLY | constants.O_NONBLOCK).catch(() => {
    throw new JobFailure('fetch-failed', 'this archive cannot be read');
  });
  // The path of the open file, so that no symbolic link, however timed,
  // leads out of the lent directories.
  const [real, stats, roots] = await Promise.all([
    realpath(`/proc/self/fd/${file.fd}`),
    file.stat(),
    Promise.all(fileRoots.map((root) => realpath(root).catch(() => root))),
  ]);
  if (stats.isFile() && isBelowPath(real, roots)) return file;
  await file.close();
  throw new JobFailure(
    'url-forbidden',
    'this archive is outside the directories that the site lends',
  );
}

/**
 * Gives the engine an image from an archive: that of `docker save`,
 * with Podman also an OCI archive.
 *
 * @returns the name that the engine has for it now
 * @throws JobFailure
 */
export async function loadArchive(
  api: EngineApi,
  url: string,
  policy: UrlPolicy,
  patience: number,
  signal: AbortSignal,
): Promise<string> {
  const file = await openLent(url, policy);
  try {
    const { lines, error } = await progressOf(
      await api.open({
        method: 'POST',
        path: '/images/load',
        query: { quiet: '1' },
        headers: { 'content-type': 'application/x-tar' },
        upload: file.createReadStream({ autoClose: false }),
        patience,
        signal,
      }),
    );
    const name = loadedName(lines);
    if (error !== undefined || name === undefined)
      throw new JobFailure(
        'fetch-failed',
        `the engine does not read this archive: ${error ?? 'it names no image'}`,
      );
    return name;
  } finally {
    await file.close();
  }
}

/** `Loaded image: NAME`, `Loaded image ID: sha256:…`; Podman may name several. */
function loadedName(lines: readonly string[]): string | undefined {
  return lines
    .flatMap((line) => /^Loaded image(?: ID|\(s\))?: ([^\s,]+)/.exec(line.trim())?.[1] ?? [])
    .at(-1);
}
