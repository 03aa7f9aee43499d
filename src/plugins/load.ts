import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { builtInComputeTypes, computeTypesWith } from '../compute/registry.ts';
import { namedTypes } from '../words/named-types.ts';
import { BUILT_IN_STORAGE_URIS } from '../storage/uris.ts';
import { builtInTypes, taskTypesWith } from '../tasks/registry.ts';
import { isRecord } from '../words/record.ts';
import { CannotStart } from '../words/cannot-start.ts';
import { computeTypeOf } from './compute-type.ts';
import type { StoragePlugin } from './plugin.ts';
import { readPlugin } from './read.ts';
import { storageTypeOf } from './storage-type.ts';
import { taskTypeOf } from './task-type.ts';
import { builtInKnown, type KnownTypes } from './types.ts';
import { errorText } from '../words/system-error.ts';

/** The types that a service knows, and by name the plug-ins that move data. */
export type Plugins = KnownTypes & { readonly storagePlugins: ReadonlyMap<string, StoragePlugin> };

/** The entry file in a plug-in's folder. */
const ENTRY = 'plugin.mjs';

/** The names of a type, which must be unique. */
type Named = { readonly name: string; readonly uri: string; readonly aliases: readonly string[] };

/**
 * Loads the plug-ins of a folder: each folder in it has a `plugin.mjs`. Their code is trusted like
 * the service's own.
 *
 * @param directory undefined: built-in types only
 * @throws CannotStart with the file and the error; two types with one name or URI are an error, too
 */
export async function loadPlugins(directory: string | undefined): Promise<Plugins> {
  if (directory === undefined) return { ...builtInKnown, storagePlugins: new Map() };
  const loaded = await Promise.all(
    (await foldersOf(directory)).map((folder) => load(directory, folder)),
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
  return {
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
      .map(async (name) => ({ name, folder: (await stat(join(directory, name))).isDirectory() })),
  );
  return kinds
    .filter(({ folder, name }) => folder && !name.startsWith('.'))
    .map(({ name }) => name);
}

async function load(directory: string, folder: string) {
  const file = join(directory, folder, ENTRY);
  try {
    const module: unknown = await import(pathToFileURL(file).href);
    const { tasks, compute, storage } = readPlugin(
      isRecord(module) ? module['default'] : undefined,
      file,
    );
    return {
      file,
      storage,
      taskTypes: tasks.map((task) => taskTypeOf(task, builtInTypes.find)),
      computeTypes: compute.map(computeTypeOf),
      storageTypes: storage.map(storageTypeOf),
    };
  } catch (error) {
    if (error instanceof CannotStart) throw error;
    throw new CannotStart(`${file}: ${errorText(error)}`, { cause: error });
  }
}

/** @throws CannotStart if two types share a name or URI */
function mustDiffer(
  kind: string,
  builtIn: readonly string[],
  types: readonly { readonly file: string; readonly type: Named }[],
): void {
  const taken = new Map<string, string>(builtIn.map((word) => [word, 'the service itself']));
  for (const { file, type } of types) {
    for (const word of [type.name, type.uri, ...type.aliases]) {
      const owner = taken.get(word);
      if (owner !== undefined)
        throw new CannotStart(
          `${file}: '${word}' is already the name of a ${kind} type of ${owner}`,
        );
      taken.set(word, file);
    }
  }
}

function wordsOf({ name, uri, aliases }: Named): readonly string[] {
  return [name, uri, ...aliases];
}
