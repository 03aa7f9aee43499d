import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { FetchFailure } from '../fetch/failure.ts';
import type { GetPolicy } from '../fetch/get.ts';
import { fetchText } from '../fetch/text.ts';
import { FETCH_LIMITS } from '../rules/limits.ts';
import type { RuleSource } from '../vortex/index.ts';
import { errorCode } from '../words/system-error.ts';

/** The input and output of a command; paths are relative to `folder`. */
export type Terminal = {
  readonly folder: string;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
};

/** A command on rule files; `words` are the arguments behind its name. It returns its exit code. */
export type RulesCommand = (words: readonly string[], terminal: Terminal) => Promise<number>;

/** The terminal of this process. */
export const ownTerminal: Terminal = {
  folder: process.cwd(),
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
};

/** Python's messages for files that cannot be read, which TPV prints. */
const ERRNO: Readonly<Record<string, string>> = {
  ENOENT: '[Errno 2] No such file or directory',
  EACCES: '[Errno 13] Permission denied',
  ENOTDIR: '[Errno 20] Not a directory',
  EISDIR: '[Errno 21] Is a directory',
};

/** A file or URL that cannot be read. */
export class Unreadable extends Error {
  constructor(file: string, cause: unknown) {
    const code = errorCode(cause) ?? '';
    // An empty name means no file, although Node would read the folder.
    const known = ERRNO[file === '' ? 'ENOENT' : code];
    super(known === undefined ? `${file}: ${String(cause)}` : `${known}: '${file}'`);
    this.name = 'Unreadable';
  }
}

/** Unlike a site file, a person may fetch any host. */
const anyHost: GetPolicy = {
  allowed: (text) => {
    const url = URL.parse(text);
    if (url === null || !isUrl(url.href))
      throw new FetchFailure('url-forbidden', 'this is not an http(s) URL');
    return url;
  },
  isOpen: () => true,
};

/** Is it a URL and not a file, by TPV's test? */
export function isUrl(word: string): boolean {
  return /^https?:\/\//i.test(word);
}

/** The text of a file or of an http(s) URL. @throws Unreadable */
export async function readSourceText({ folder }: Terminal, file: string): Promise<string> {
  if (isUrl(file)) return fetchFile(file);
  try {
    return await readFile(resolve(folder, file), 'utf8');
  } catch (error) {
    throw new Unreadable(file, error);
  }
}

/**
 * Rule files in load order, with their given names. @throws Unreadable for the first that cannot be
 * read
 */
export function readSources(
  terminal: Terminal,
  files: readonly string[],
): Promise<readonly RuleSource[]> {
  return Promise.all(
    files.map(async (name) => ({ name, text: await readSourceText(terminal, name) })),
  );
}

async function fetchFile(url: string): Promise<string> {
  const fetched = await fetchText(url, { policy: anyHost, limits: FETCH_LIMITS });
  if (fetched.kind === 'text') return fetched.text;
  throw new Unreadable(url, fetched.kind === 'failed' ? fetched.message : 'nothing came');
}
