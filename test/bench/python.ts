import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Packages that the environment of the bench has, each with a module of its name. */
export const NEEDED = ['numpy', 'astropy', 'scipy'];

const PACKAGES = [...NEEDED, ...Array.from({ length: 300 }, (_, at) => `package-${at}`)];

const ANSWER = {
  python: '3.12.4',
  markers: { os_name: 'posix', sys_platform: 'linux', python_version: '3.12' },
  packages: PACKAGES.map((name, at) => ({ name, version: `2.${at % 9}.1`, extras: [] })),
  modules: ['os', 'sys', 'json', ...PACKAGES],
  folders: [],
};

/** Writes an interpreter that says what it has, as those of sites do, and does nothing else. */
export async function writePython(folder: string): Promise<string> {
  const path = join(folder, 'python');
  await writeFile(path, `#!/bin/sh\necho '${JSON.stringify(ANSWER)}'\n`);
  await chmod(path, 0o755);
  return path;
}
