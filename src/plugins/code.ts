import { createHash } from 'node:crypto';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorCode } from '../words/system-error.ts';

/** What of a plug-in's folder is code; it may have data, too. */
const CODE = /\.(?:[cm]?[jt]s|json|wasm)$/;

/** Folders within each other that are read. */
const DEEPEST = 32;

/** The parameter of a module's URL that makes it another module. */
const VERSION = 'plugin-version';

/**
 * A digest of the code in these folders of a directory, the same on every host that has the same.
 * Packages that are installed there are not in it.
 */
export async function digestOfCode(directory: string, folders: readonly string[]): Promise<string> {
  const digest = createHash('sha256');
  for (const folder of folders)
    for (const path of await codeBelow(directory, folder)) {
      const code = await ifThere(readFile(join(directory, path), 'base64'));
      if (code !== undefined) digest.update(JSON.stringify([path, code]));
    }
  return digest.digest('hex');
}

/** Imports a module of a folder. */
export function importOnce(folder: string, entry: string): Promise<unknown> {
  return import(pathToFileURL(join(folder, entry)).href);
}

let imports = 0;
const roots = new Set<string>();

/**
 * Imports a module as it is on disc now, with the modules of its own folder. Node keeps a module,
 * and the failure of one, for as long as the process lives, but for a URL that it does not know yet.
 */
export async function importAnew(folder: string, entry: string): Promise<unknown> {
  const root = `${pathToFileURL(await realpath(folder)).href}/`;
  if (roots.size === 0) registerHooks({ resolve: resolveAnew });
  roots.add(root);
  imports += 1;
  return import(`${root}${entry}?${VERSION}=${imports}`);
}

/** What is read of a file, unless it is gone or a link leads nowhere: people edit meanwhile. */
export async function ifThere<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (['ENOENT', 'ELOOP'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

/**
 * The files with code, sorted, as paths below the directory.
 *
 * @param above real paths of the folders that it is in, for links may lead back to them
 */
async function codeBelow(
  directory: string,
  folder: string,
  above: readonly string[] = [],
): Promise<readonly string[]> {
  const real = await ifThere(realpath(join(directory, folder)));
  if (real === undefined || above.includes(real) || above.length >= DEEPEST) return [];
  const names = (await ifThere(readdir(real))) ?? [];
  const found = await Promise.all(
    names
      // Editors keep locks and copies under such names.
      .filter((name) => name !== 'node_modules' && !name.startsWith('.'))
      .map(async (name) => {
        const path = join(folder, name);
        const kind = await ifThere(stat(join(directory, path)));
        if (kind?.isDirectory() === true) return codeBelow(directory, path, [...above, real]);
        return CODE.test(name) && kind?.isFile() === true ? [path] : [];
      }),
  );
  return found.flat().sort();
}

type Resolve = NonNullable<Parameters<typeof registerHooks>[0]['resolve']>;

/** What a module of a plug-in imports from its folder has the version of the module. */
function resolveAnew(
  specifier: string,
  context: Parameters<Resolve>[1],
  next: Parameters<Resolve>[2],
): ReturnType<Resolve> {
  const found = next(specifier, context);
  const version = URL.parse(context.parentURL ?? '')?.searchParams.get(VERSION);
  const isOwn =
    [...roots].some((root) => found.url.startsWith(root)) &&
    !found.url.includes('/node_modules/') &&
    !found.url.includes('?');
  return version != null && isOwn ? { ...found, url: `${found.url}?${VERSION}=${version}` } : found;
}
