import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** One import or re-export of a file of `src`; `to` is a path of the project or a module. */
export type Import = { readonly from: string; readonly to: string; readonly typeOnly: boolean };

const STATEMENT = /^(?:import|export)\s+(type\s+)?(?:[^'"]*?\sfrom\s+)?['"]([^'"]+)['"]/gms;

/** All imports in `src`, except generated code. */
export async function graph(): Promise<readonly Import[]> {
  return (await Promise.all((await sources()).map(importsOf))).flat();
}

/** The files of `src` or another folder, except generated code. */
export async function sources(folder = 'src'): Promise<readonly string[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((file) => !file.startsWith('src/generated'));
}

export async function importsOf(file: string): Promise<readonly Import[]> {
  const text = await readFile(join(root, file), 'utf8');
  return [...text.matchAll(STATEMENT)].map(([, type, specifier = '']) => ({
    from: file,
    to: specifier.startsWith('.') ? normalize(join(dirname(file), specifier)) : specifier,
    typeOnly: type !== undefined,
  }));
}
