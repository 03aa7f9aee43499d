import { join } from 'node:path';
import { builtInTypes } from '../tasks/registry.ts';
import { CannotStart } from '../words/cannot-start.ts';
import { isRecord } from '../words/record.ts';
import { errorText } from '../words/system-error.ts';
import type { importOnce } from './code.ts';
import { computeTypeOf } from './compute-type.ts';
import { engineTypeOf } from './engine-type.ts';
import { readPlugin } from './read.ts';
import { storageTypeOf } from './storage-type.ts';
import { taskTypeOf } from './task-type.ts';

/** The entry file in a plug-in's folder. */
const ENTRY = 'plugin.mjs';

/**
 * Loads the plug-in of one folder of the directory.
 *
 * @throws CannotStart with the file and the error
 */
export async function loadFolder(directory: string, folder: string, importFrom: typeof importOnce) {
  const file = join(directory, folder, ENTRY);
  try {
    const module = await importFrom(join(directory, folder), ENTRY);
    const { tasks, compute, storage, runners } = readPlugin(
      isRecord(module) ? module['default'] : undefined,
      file,
    );
    return {
      file,
      storage,
      taskTypes: tasks.map((task) => taskTypeOf(task, builtInTypes.find)),
      computeTypes: compute.map(computeTypeOf),
      storageTypes: storage.map(storageTypeOf),
      engineTypes: runners.map((runner) => engineTypeOf(runner, file)),
    };
  } catch (error) {
    if (error instanceof CannotStart) throw error;
    throw new CannotStart(`${file}: ${errorText(error)}`, { cause: error });
  }
}
