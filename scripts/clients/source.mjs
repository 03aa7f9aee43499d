// What both packages are built from: the project's files, its version and its time.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The contract's version, which both packages have. */
export function contractVersion() {
  const contract = readFileSync(join(root, 'api/openapi.yaml'), 'utf8');
  const [, version] = /^info:\n(?: .*\n)*? {2}version: (\S+)$/m.exec(contract) ?? [];
  if (version === undefined) throw new Error('api/openapi.yaml has no info.version');
  return version;
}

/**
 * The environment of a build. Its packages are as old as the last commit, so that everybody who
 * builds this commit gets the same bytes.
 */
export function buildEnvironment() {
  const { SOURCE_DATE_EPOCH = git('log', '-1', '--format=%ct').trim() } = process.env;
  return { ...process.env, SOURCE_DATE_EPOCH };
}

/** Copies the files of a folder that git knows or would add: no caches, no environments. */
export function copySources(/** @type {string} */ folder, /** @type {string} */ to) {
  const listed = git('ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', folder);
  const files = listed.split('\0').filter((file) => file !== '' && existsSync(join(root, file)));
  if (files.length === 0) throw new Error(`${folder} has no files`);
  for (const file of files) {
    const target = join(to, file.slice(folder.length + 1));
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(root, file), target);
  }
}

function git(/** @type {string[]} */ ...words) {
  return execFileSync('git', words, { cwd: root, encoding: 'utf8' });
}
