import { describe, expect, test } from '@jest/globals';
import { builtinNames, getAttribute, PyModule, standardModules } from '../../src/python/index.ts';
import cpython from '../python/stdlib/names.json' with { type: 'json' };
import { loadRules } from '../../src/vortex/index.ts';
import { MODULE_NAMES, modulesWith } from '../../src/vortex/python-view/modules.ts';
import { absentNames } from './sources/absent-names.ts';
import { readMarkdown, sectionOf } from './sources/markdown.ts';

const reference = await readMarkdown('docs/reference/python.md');
const refused = reference.fences
  .filter(({ words }) => words[0] === 'python' && words[1] === 'refused')
  .flatMap(({ text }) => text.trim().split('\n\n'));

describe('the language in docs/reference/python.md', () => {
  test.each(refused)('refuses %s when the file is loaded, with its place', (snippet) => {
    const code = `${snippet}\n1`.replaceAll(/^/gm, '      ');
    const loaded = loadRules([
      {
        name: 'rules.yml',
        text: `tools:\n  x:\n    cores: |\n${code}\ndestinations:\n  d: { runner: r }\n`,
      },
    ]);
    const problems = loaded.ok ? [] : loaded.problems;
    expect(problems).toEqual([
      expect.objectContaining({
        file: 'rules.yml',
        message: expect.stringMatching(/^not Python: .*(?:not supported|not available)/),
      }),
    ]);
    expect(problems[0]?.line).toBeGreaterThan(3);
  });

  test('has every module that rules can import and no other', async () => {
    const job = { tool: { id: 'tool', requirements: [] }, user: null, roles: [], inputs: [] };
    const own = modulesWith(() => new PyModule('tpv.core.helpers', []), job, undefined);
    expect(MODULE_NAMES.filter((name) => own.get(name) === undefined)).toEqual([]);
    const modules = [...new Set([...standardModules.keys(), ...MODULE_NAMES])];
    const section = sectionOf(reference, '### Modules');
    const listed = reference.fences.filter(({ words }) => words[1] === 'modules');
    const told = [...section.matchAll(/`([\w.]+)`/g)]
      .map(([, name]) => name)
      .filter((name) => name !== 'helpers' && name !== 'app');
    const named = [
      ...new Set([...listed.flatMap(({ text }) => text.trim().split(/\s+/)), ...told]),
    ];
    expect(named.toSorted()).toEqual(modules.toSorted());
  });
});

/** Keywords that CPython lists among its built-in names. */
const KEYWORDS = new Set(['None', 'True', 'False']);

function isHere(module: string, name: string): boolean {
  if (module === 'builtins') return builtinNames.has(name) || KEYWORDS.has(name);
  try {
    getAttribute(standardModules.get(module) ?? null, name);
    return true;
  } catch {
    return false;
  }
}

describe('docs/reference/python.md', () => {
  test('names every missing public name of the standard library, module by module', async () => {
    const told = absentNames(reference);
    const absent = Object.entries(cpython).flatMap(([module, all]) => {
      const lacks = all.filter((name) => !isHere(module, name));
      const isOnly = told.some((row) => row.module === module && row.isOnly);
      const names = isOnly ? all.filter((name) => isHere(module, name)) : lacks;
      return lacks.length === 0 ? [] : [{ module, isOnly, names }];
    });
    expect(told).toEqual(absent);
  });
});
