import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** A Python of this machine; `minor` is the 11 of 3.11. */
export type Python = { readonly path: string; readonly minor: number; readonly version: string };

/** The one of Debian, which runs whole suites. */
export const DEBIAN = '/usr/bin/python3';
/** The oldest one that the client promises to work with. */
export const OLDEST = 10;

/** The Pythons of this machine that the client promises to work with, one of each minor version. */
export function pythons(): readonly Python[] {
  const found = candidates().flatMap((path) => read(path) ?? []);
  const all = found.filter(({ minor }) => minor >= OLDEST);
  const each = new Map(all.map((python) => [python.minor, python]));
  return [...each.values()].toSorted((one, other) => one.minor - other.minor);
}

/** @returns undefined for what is no Python 3 */
export function read(path: string): Python | undefined {
  const { stdout } = spawnSync(path, ['-c', 'import sys; print(sys.version.split()[0])'], {
    encoding: 'utf8',
  });
  const [version, minor] = /^3\.(\d+)\.\S+/.exec(stdout ?? '') ?? [];
  return version === undefined ? undefined : { path, version, minor: Number(minor) };
}

/** Where Debian, people who compile, and pyenv put them. Later ones win. */
function candidates(): readonly string[] {
  const folders = ['/usr/local/bin', '/usr/bin'];
  const installed = folders.flatMap((folder) =>
    namesOf(folder)
      .filter((name) => /^python3\.\d+$/.test(name))
      .map((name) => join(folder, name)),
  );
  const versions = join(process.env['PYENV_ROOT'] ?? join(homedir(), '.pyenv'), 'versions');
  const ofPyenv = namesOf(versions).map((name) => join(versions, name, 'bin', 'python3'));
  return [...ofPyenv, ...installed];
}

function namesOf(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).toSorted() : [];
}
