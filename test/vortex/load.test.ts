import { describe, expect, test } from '@jest/globals';
import { loadRules, summarize } from '../../src/vortex/index.ts';
import type { FileProblem } from '../../src/vortex/index.ts';
import { rulesOf } from './job.ts';

function problems(...texts: readonly string[]): readonly FileProblem[] {
  const loaded = loadRules(texts.map((text, index) => ({ name: `file${index + 1}.yml`, text })));
  return loaded.ok ? [] : loaded.problems;
}

function warnings(text: string): readonly FileProblem[] {
  const loaded = loadRules([{ name: 'file1.yml', text }]);
  return loaded.ok ? loaded.warnings : [];
}

describe('an unusable rule file says where and why', () => {
  test.each<[string, string, Partial<FileProblem>]>([
    [
      'an entity without body',
      'users:\n  a@b.c:\n',
      {
        line: 2,
        column: 8,
        message: "user 'a@b.c' is empty",
        hint: 'write {} for an entity without properties',
      },
    ],
    ['an empty file', '', { line: 1, message: 'the file is empty' }],
    ['text that is not YAML', 'tools: [\n', { line: 2 }],
    [
      'a list for a number',
      'tools:\n  x:\n    cores: [1]\n',
      {
        line: 3,
        column: 12,
        message: "'cores' of tool 'x' must be a number or a Python expression",
      },
    ],
    [
      'an expression for a limit',
      'destinations:\n  d:\n    max_accepted_cores: 2 * 4\n',
      { line: 3, column: 25, hint: 'it is not evaluated as Python' },
    ],
    [
      'a tag in two categories',
      'tools:\n  x:\n    scheduling: {require: [a], reject: [a]}\n',
      { line: 3, message: "Duplicate tags found: 'a' in ['require', 'reject']" },
    ],
    [
      'a scalar for tags',
      'tools:\n  x:\n    scheduling: {require: a}\n',
      {
        line: 3,
        column: 27,
        message: "'require' of 'scheduling' of tool 'x' must be a list, not the string 'a'",
      },
    ],
    [
      'a rule without condition',
      'tools:\n  x:\n    rules:\n      - cores: 4\n',
      { line: 4, column: 9, message: "rule 'tpv_rule_1' in 'rules' of tool 'x' has no 'if'" },
    ],
    [
      'a rule of TPV 1',
      'tools:\n  x:\n    rules:\n      - match: input_size > 1\n',
      { line: 4, hint: "'match' was for TPV 1; write 'if'" },
    ],
    [
      'a number in an env list',
      'tools:\n  x:\n    env:\n      - {name: A, value: 5}\n',
      { line: 4, column: 26, hint: 'write it in quotes' },
    ],
    [
      'a key that is no pattern',
      "tools:\n  'bwa[':\n    cores: 1\n",
      {
        line: 2,
        column: 3,
        message:
          "the key 'bwa[' is not a regular expression: unterminated character set at character 4",
      },
    ],
    [
      'a key that is a number',
      'tools:\n  1: {}\n',
      { line: 2, message: "a key of 'tools' must be a string, not the number 1" },
    ],
    [
      'a parent that does not exist',
      'tools:\n  a: {inherits: b}\n',
      { line: 2, column: 3, message: 'The specified parent: b for entity: a does not exist' },
    ],
    [
      'a circle of parents',
      'tools:\n  a: {inherits: b}\n  b: {inherits: a}\n',
      { message: 'Cycle detected in inheritance chain for entity: a' },
    ],
    [
      'Python that is none, in an entity',
      'tools:\n  x:\n    mem: 4 *\n',
      { line: 3, file: 'file1.yml' },
    ],
    [
      'an f-string that ends in a quote',
      'tools:\n  x:\n    params: {p: "--part=\'a\'"}\n',
      { line: 3 },
    ],
    [
      'a code property that ends in no expression',
      "tools:\n  x:\n    rank: 'a = 1'\n",
      { line: 3 },
    ],
  ])('%s', (_what, text, expected) => {
    expect(problems(text)).toEqual(expect.arrayContaining([expect.objectContaining(expected)]));
  });

  test('all problems of a file are reported at once, first the one at which TPV stops', () => {
    expect(problems('tools:\n  x: {cores: [1], mem: {}}\n  y:\n').map(({ line }) => line)).toEqual([
      3, 2, 2,
    ]);
  });

  test('the problems of all files are reported together, each with its file', () => {
    expect(problems('tools:\n  x:\n', 'tools: []\n')).toEqual([
      expect.objectContaining({ file: 'file1.yml', line: 2 }),
      {
        file: 'file2.yml',
        line: 1,
        column: 8,
        message: "'tools' must be a mapping, not a list",
        code: 'ValidationError',
      },
    ]);
  });

  test('a missing parent is reported at its child, whichever file is merged when it is missed', () => {
    expect(problems('tools: {}\n', 'tools:\n  a: {}\n  b: {inherits: gone}\n')).toEqual([
      {
        file: 'file2.yml',
        line: 3,
        column: 3,
        message: 'The specified parent: gone for entity: b does not exist',
        code: 'InvalidParentException',
      },
    ]);
  });
});

describe('what loads but is most likely wrong causes a warning:', () => {
  test('a misspelt key is kept without effect, and the right one is suggested', () => {
    expect(warnings('tools:\n  x:\n    corse: 4\n')).toEqual([
      {
        file: 'file1.yml',
        line: 3,
        column: 5,
        message: "tool 'x' has an unknown key 'corse'; it has no effect",
        hint: "did you mean 'cores'?",
      },
    ]);
  });

  test('a destination without runner, and one that sets cores where it means a limit', () => {
    expect(warnings('destinations:\n  a: {cores: 4}\n  b: {abstract: true}\n')).toEqual([
      expect.objectContaining({
        line: 2,
        column: 14,
        message: expect.stringMatching(/^'cores' of destination 'a' replaces/),
      }),
      { file: 'file1.yml', line: 2, column: 3, message: "destination 'a' has no runner" },
    ]);
  });

  test('invalid Python in a rule, which is an error only when the rule runs', () => {
    expect(warnings("tools:\n  x:\n    rules:\n      - if: 'False'\n        cores: 1 +\n")).toEqual(
      [expect.objectContaining({ line: 5, message: expect.stringMatching(/^not Python: /) })],
    );
  });

  test('an import of a missing module, since code may handle that, and no import of an existing one', () => {
    const code =
      'try:\n        import pandas, json\n      except ImportError:\n' +
      '        from numpy.random import rand\n' +
      '      import os.path, galaxy.model, requests\n      1';
    expect(
      warnings(
        `tools:\n  x:\n    mem: |\n      ${code}\n    rules: [{if: true, execute: import yaml}]\n`,
      ),
    ).toEqual([
      {
        file: 'file1.yml',
        line: 5,
        column: 9,
        message: "there is no module 'pandas' here: its import raises ModuleNotFoundError",
        code: 'T103',
      },
      expect.objectContaining({
        line: 7,
        column: 9,
        message: expect.stringContaining("'numpy.random'"),
      }),
    ]);
  });
});

describe('files are merged in order', () => {
  test('a redefinition overlays the earlier one and moves to the end of the order', () => {
    const rules = rulesOf(
      'destinations:\n  a: {runner: one, max_accepted_cores: 4}\n  b: {runner: two}\n',
      'destinations:\n  a: {max_accepted_cores: 8}\n',
    );
    expect(summarize(rules).destinations).toEqual([
      expect.objectContaining({ id: 'b', runner: 'two' }),
      expect.objectContaining({
        id: 'a',
        runner: 'one',
        maxAccepted: { cores: 8, mem: null, gpus: null },
      }),
    ]);
  });

  test('an abstract entity becomes concrete when a later file mentions it without saying so', () => {
    const rules = rulesOf(
      'destinations:\n  a: {abstract: true}\n',
      'destinations:\n  a: {runner: x}\n',
    );
    expect(summarize(rules).destinations[0]).toMatchObject({ abstract: false, runner: 'x' });
  });

  test('the default destination underlies all others, but not its acceptance of user-defined tools', () => {
    const rules = rulesOf(
      'global: {default_inherits: base}\ndestinations:\n' +
        '  base: {abstract: true, runner: k8s, scheduling: {accept: ' +
        '[tool_type_user_defined, general]}}\n  a: {}\n',
    );
    expect(summarize(rules).destinations[1]).toMatchObject({
      runner: 'k8s',
      scheduling: {
        require: [],
        prefer: [],
        accept: ['general'],
        reject: ['tool_type_user_defined'],
      },
    });
  });
});
