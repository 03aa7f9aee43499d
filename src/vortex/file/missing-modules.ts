import { standardModules } from '../../python/index.ts';
import type { FileProblem } from '../../yaml/index.ts';
import { NOT_PYTHON } from './file-reader.ts';
import { MODULE_NAMES } from '../python-view/modules.ts';
import type { Snippets } from './snippets.ts';

const known: ReadonlySet<string> = new Set([...standardModules.keys(), ...MODULE_NAMES]);

/**
 * Imports of modules that do not exist here. They are warnings: code may expect the
 * ModuleNotFoundError.
 */
export function missingModules(snippets: Snippets): readonly FileProblem[] {
  const missing = [...snippets.imports()].filter(({ module }) => !known.has(module));
  // The compiler sees a `finally` more than once.
  const told = new Map(
    missing.map(({ module, place }) => [
      `${place.file}:${place.line}:${place.column} ${module}`,
      { module, place },
    ]),
  );
  return [...told.values()].map(({ module, place }) => ({
    ...place,
    message: `there is no module '${module}' here: its import raises ModuleNotFoundError`,
    code: NOT_PYTHON,
  }));
}
