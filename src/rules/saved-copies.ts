import { hash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The text that a URL served. */
export type SavedCopy = {
  readonly url: string;
  readonly text: string;
  /** of the text, 64 hexadecimal digits */
  readonly sha256: string;
  /** entity tag of the server, for the next request */
  readonly etag: string | undefined;
  /** when it was fetched, milliseconds since 1970 */
  readonly fetched: number;
};

/** Copies of rule files on disc, one for each URL: its last text that loaded without a problem. */
export type CopyStore = {
  /** the copy; undefined if there is none or it is damaged */
  readonly find: (url: string) => Promise<SavedCopy | undefined>;
  /** replaces the copy, wholly or not at all; throws errors of the file system */
  readonly keep: (copy: SavedCopy) => Promise<void>;
};

export function sha256Of(text: string): string {
  return hash('sha256', text);
}

/** For commands that write no files. */
export const NO_COPIES: CopyStore = { find: async () => undefined, keep: async () => undefined };

/** Copies as files in a folder, created on demand. The name of a file is the digest of the URL. */
export function openCopies(folder: string): CopyStore {
  const fileOf = (url: string): string => join(folder, `${sha256Of(url)}.json`);
  return {
    find: async (url) => {
      try {
        return parseCopy(await readFile(fileOf(url), 'utf8'), url);
      } catch {
        return undefined;
      }
    },
    keep: async (copy) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = fileOf(copy.url);
      const draft = `${file}.${process.pid}.new`;
      try {
        await writeFile(draft, JSON.stringify(copy), { mode: 0o600, flush: true });
        await rename(draft, file);
      } finally {
        await rm(draft, { force: true });
      }
    },
  };
}

function parseCopy(text: string, url: string): SavedCopy | undefined {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) return undefined;
  if (!('url' in value && 'text' in value && 'sha256' in value && 'fetched' in value))
    return undefined;
  const { url: of, text: body, sha256, fetched } = value;
  const etag = 'etag' in value && typeof value.etag === 'string' ? value.etag : undefined;
  // An incomplete or edited file does not count.
  if (
    of !== url ||
    typeof body !== 'string' ||
    sha256 !== sha256Of(body) ||
    typeof fetched !== 'number'
  )
    return undefined;
  return { url, text: body, sha256, etag, fetched };
}
