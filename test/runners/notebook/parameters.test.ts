import { describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { pythonLiteral, withParameters } from '../../../src/runners/notebook/parameters.ts';
import { parseNotebook } from '../../../src/tasks/notebook-document.ts';
import { notebookOf, type Cell } from './cells.ts';

function sourcesOf(...cells: readonly Cell[]): readonly string[] {
  const parsed = parseNotebook(notebookOf(...cells));
  if (!parsed.ok) throw new Error(parsed.text);
  return withParameters(parsed.notebook, { a: 1, b: 'x' }).cells.map(({ source }) => source);
}
const SET = '# Parameters\na = 1\nb = "x"';

describe('the parameters of a notebook', () => {
  test('are set after the cell with their defaults, or before everything', () => {
    expect(sourcesOf('import os', { code: 'a = 2', tags: ['parameters'] }, 'print(a)')).toEqual([
      'import os',
      'a = 2',
      SET,
      'print(a)',
    ]);
    expect(sourcesOf({ markdown: '# Title' }, 'print(1)')).toEqual([SET, '# Title', 'print(1)']);
  });

  test('replace those that an earlier run set', () => {
    expect(
      sourcesOf(
        { code: 'a = 2', tags: ['parameters'] },
        'x',
        { code: 'a = 7', tags: ['injected-parameters'] },
        'y',
      ),
    ).toEqual(['a = 2', 'x', SET, 'y']);
  });

  test('mean in Python what they mean in JSON, whatever they are', () => {
    const python = spawnSync('/usr/bin/python3', ['--version']).status === 0;
    const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }));
    const values = fc.sample(fc.jsonValue({ stringUnit: 'binary' }), 300);
    const texts = fc.sample(text, 300);
    const all = [
      ...values,
      ...texts,
      -0,
      1e21,
      5e-324,
      Number.MAX_SAFE_INTEGER,
      '"""\\',
      '\r\n\u2028\u0000\ud800',
    ];
    const literals = all.map((value) => pythonLiteral(JSON.parse(JSON.stringify(value))));
    for (const literal of literals) expect(literal).not.toMatch(/[\n\r]/);
    if (!python) return;
    const check =
      'import json, sys\nfor value, literal in json.load(sys.stdin):\n' +
      '    assert eval(literal) == json.loads(value, parse_int=float), ' +
      '(value, literal)\nprint("same")';
    const { stdout, stderr } = spawnSync('/usr/bin/python3', ['-I', '-c', check], {
      input: JSON.stringify(all.map((value, index) => [JSON.stringify(value), literals[index]])),
      encoding: 'utf8',
    });
    expect([stdout, stderr]).toEqual(['same\n', '']);
  });
});
