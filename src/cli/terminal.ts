import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { RuleSource } from '../vortex/index.ts';

/** Where a command reads and writes: paths are relative to `folder`. */
export type Terminal = {
  readonly folder: string;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
};

/** A command on rule files; `words` are those behind its name, and it returns its exit code. */
export type RulesCommand = (words: readonly string[], terminal: Terminal) => Promise<number>;

/** The terminal of this process. */
export const ownTerminal: Terminal = {
  folder: process.cwd(),
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
};

/** A file that cannot be read. */
export class Unreadable extends Error {
  constructor(file: string, cause: unknown) {
    const isMissing = typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === 'ENOENT';
    // Python's words, which TPV prints.
    super(isMissing ? `[Errno 2] No such file or directory: '${file}'` : `${file}: ${String(cause)}`);
    this.name = 'Unreadable';
  }
}

/** The text of a file. Throws Unreadable. */
export const readText = async ({ folder }: Terminal, file: string): Promise<string> => {
  try {
    return await readFile(resolve(folder, file), 'utf8');
  } catch (error) {
    throw new Unreadable(file, error);
  }
};

/** Rule files in load order, under the names they were given by. Throws Unreadable for the first that is not there. */
export const readSources = (terminal: Terminal, files: readonly string[]): Promise<readonly RuleSource[]> =>
  Promise.all(files.map(async (name) => ({ name, text: await readText(terminal, name) })));
