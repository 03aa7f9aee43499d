import {
  findAttribute,
  moduleUses,
  PyModule,
  PySyntaxError,
  standardModules,
} from '../../python/index.ts';
import type { ModuleUse, Value } from '../../python/index.ts';
import { NOT_PYTHON } from '../file/file-reader.ts';
import { helpersOf } from '../python-view/helpers.ts';
import type { JobDescription } from '../job.ts';
import type { Finding } from './lint.ts';
import { modulesWith } from '../python-view/modules.ts';
import type { Snippets } from '../file/snippets.ts';

/** Modules that rules use without importing them. */
const GIVEN = ['helpers', 'functools', 'logging', 'ast'];
const MAY_USE = new RegExp(`\\bimport\\b|\\b(?:${GIVEN.join('|')})\\s*\\.`);

/** Some modules need a job to be made; its contents do not matter. */
const NO_JOB: JobDescription = {
  tool: { id: '', requirements: [] },
  user: null,
  roles: [],
  inputs: [],
};

/**
 * T103: names that a module lacks, imported from it or looked up in it. Their use raises
 * ImportError or AttributeError when a rule reaches it.
 */
export function absentNames(snippets: Snippets): readonly Finding[] {
  const own = modulesWith(() => helpersOf(NO_JOB), NO_JOB, undefined);
  const find = (name: string): Value | undefined =>
    own.get(name === 'helpers' ? 'tpv.core.helpers' : name) ?? standardModules.get(name);
  return [...snippets.texts()].flatMap(({ kind, text, place: { file, line, column } }) => {
    if (!MAY_USE.test(text)) return [];
    return usesOf(kind, text).flatMap((use) => {
      const message = told(use, find);
      if (message === undefined) return [];
      const place = { file, line: line + use.at.line - 1, column: column + use.at.column - 1 };
      return [{ severity: 'warning', code: NOT_PYTHON, message, place } satisfies Finding];
    });
  });
}

/** Text that is not Python has no uses; loading reports it. */
function usesOf(kind: Parameters<typeof moduleUses>[1], text: string): readonly ModuleUse[] {
  try {
    return moduleUses(text, kind, GIVEN);
  } catch (error) {
    if (error instanceof PySyntaxError) return [];
    throw error;
  }
}

/**
 * The message about a use; undefined when the names exist, or when they lead through a value that
 * is no module.
 */
function told(
  { module, names, how }: ModuleUse,
  find: (name: string) => Value | undefined,
): string | undefined {
  let path = module;
  let found = find(module);
  for (const [index, name] of names.entries()) {
    if (!(found instanceof PyModule)) return undefined;
    const next = name.startsWith('__')
      ? null
      : (findAttribute(found, name) ?? find(`${path}.${name}`));
    // The path before the last name is a use of its own, which reports the missing name.
    if (next === undefined && index < names.length - 1) return undefined;
    if (next === undefined) {
      const error =
        how === 'import' ? 'importing it raises ImportError' : 'reading it raises AttributeError';
      return `there is no '${name}' in the module '${path}' here: ${error}`;
    }
    path = `${path}.${name}`;
    found = next;
  }
  return undefined;
}
