import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { builtInComputeTypes, computeTypesWith } from '../compute/registry.ts';
import { namedTypes } from '../words/named-types.ts';
import { BUILT_IN_STORAGE_URIS } from '../storage/uris.ts';
import { builtInTypes, taskTypesWith } from '../tasks/registry.ts';
import { CannotStart } from '../words/cannot-start.ts';
import { builtInEngines } from '../runners/engine.ts';
import { digestOfCode, ifThere, importAnew, importOnce } from './code.ts';
import { loadFolder } from './load-folder.ts';
import type { StoragePlugin } from './plugin.ts';
import { builtInKnown, type KnownTypes } from './types.ts';
import { errorText } from '../words/system-error.ts';

/** The types that a service knows, and by name the plug-ins that move data. */
export type Plugins = KnownTypes & {
  readonly storagePlugins: ReadonlyMap<string, StoragePlugin>;
  /** of the code of all plug-ins; undefined: there is none */
  readonly digest: string | undefined;
};

/** The names of a type, which must be unique. */
type Named = { readonly name: string; readonly uri?: string; readonly aliases?: readonly string[] };

/**
 * Loads the plug-ins of a folder: each folder in it has a `plugin.mjs`. Their code is trusted like
 * the service's own.
 *
 * @param directory undefined: built-in types only
 * @param only the folder of one of them; absent: all
 * @throws CannotStart with the file and the error; two types with one name or URI are an error, too
 */
export async function loadPlugins(directory: string | undefined, only?: string): Promise<Plugins> {
  if (directory === undefined)
    return { ...builtInKnown, storagePlugins: new Map(), digest: undefined };
  return loadAll(directory, await codeIn(directory, only), importOnce);
}

/**
 * The plug-ins of a folder as they are now: the same object when their code is.
 *
 * @throws CannotStart as `loadPlugins`
 */
export async function reloadPlugins(
  directory: string | undefined,
  before: Plugins,
): Promise<Plugins> {
  if (directory === undefined) return before;
  const code = await codeIn(directory);
  return code.digest === before.digest ? before : loadAll(directory, code, importAnew);
}

type Code = { readonly folders: readonly string[]; readonly digest: string };

async function codeIn(directory: string, only?: string): Promise<Code> {
  const folders = only === undefined ? await foldersOf(directory) : [only];
  return { folders, digest: await digestOfCode(directory, folders) };
}

async function loadAll(
  directory: string,
  { folders, digest }: Code,
  importFrom: typeof importOnce,
): Promise<Plugins> {
  const loaded = await Promise.all(
    folders.map((folder) => loadFolder(directory, folder, importFrom)),
  );
  mustDiffer(
    'task',
    builtInTypes.all.flatMap(wordsOf),
    loaded.flatMap(({ file, taskTypes }) => taskTypes.map((type) => ({ file, type }))),
  );
  mustDiffer(
    'compute',
    builtInComputeTypes.all.flatMap(wordsOf),
    loaded.flatMap(({ file, computeTypes }) => computeTypes.map((type) => ({ file, type }))),
  );
  mustDiffer(
    'storage',
    BUILT_IN_STORAGE_URIS,
    loaded.flatMap(({ file, storageTypes }) => storageTypes.map((type) => ({ file, type }))),
  );
  mustDiffer(
    'runner',
    builtInEngines.map(({ name }) => name),
    loaded.flatMap(({ file, engineTypes }) => engineTypes.map((type) => ({ file, type }))),
  );
  return {
    digest,
    engineTypes: [...builtInEngines, ...loaded.flatMap(({ engineTypes }) => engineTypes)],
    taskTypes: taskTypesWith(loaded.flatMap(({ taskTypes }) => taskTypes)),
    computeTypes: computeTypesWith(loaded.flatMap(({ computeTypes }) => computeTypes)),
    storageTypes: namedTypes(loaded.flatMap(({ storageTypes }) => storageTypes)),
    storagePlugins: new Map(
      loaded.flatMap(({ storage }) => storage.map((plugin) => [plugin.name, plugin] as const)),
    ),
  };
}

async function foldersOf(directory: string): Promise<readonly string[]> {
  const names = await readdir(directory).catch((error: unknown) => {
    throw new CannotStart(`PLUGINS_DIR ${directory} cannot be read: ${errorText(error)}`, {
      cause: error,
    });
  });
  const kinds = await Promise.all(
    names
      .sort()
      .filter((name) => !name.startsWith('.'))
      .map(async (name) => ({ name, kind: await ifThere(stat(join(directory, name))) })),
  );
  return kinds.filter(({ kind }) => kind?.isDirectory() === true).map(({ name }) => name);
}

/** @throws CannotStart if two types share a name or URI */
function mustDiffer(
  kind: string,
  builtIn: readonly string[],
  types: readonly { readonly file: string; readonly type: Named }[],
): void {
  const taken = new Map<string, string>(builtIn.map((word) => [word, 'the service itself']));
  for (const { file, type } of types) {
    for (const word of wordsOf(type)) {
      const owner = taken.get(word);
      if (owner !== undefined)
        throw new CannotStart(
          `${file}: '${word}' is already the name of a ${kind} type of ${owner}`,
        );
      taken.set(word, file);
    }
  }
}

function wordsOf({ name, uri, aliases = [] }: Named): readonly string[] {
  return [name, ...(uri === undefined ? [] : [uri]), ...aliases];
}
