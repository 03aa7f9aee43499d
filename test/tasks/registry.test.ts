import { describe, expect, test } from '@jest/globals';
import { specPath } from '../../src/dialects/seed/paths.ts';
import { builtInTypes, toolName } from '../../src/tasks/registry.ts';
import type { ParsedTask } from '../../src/tasks/task.ts';

const policy = { allowHosts: [], fileRoots: [] };

function problemsOf(name: string, spec: unknown): readonly string[] {
  const parsed = parse(name, spec);
  return parsed.ok ? [] : parsed.problems.map(({ at, code }) => `${specPath(at)} ${code}`);
}

function parse(name: string, spec: unknown): ParsedTask {
  const type = builtInTypes.find(`https://www.purl.org/ivoa-net/task-type/${name}`);
  if (type === undefined) throw new Error(`no task type ${name}`);
  return type.parse(spec, policy);
}

const cell = {
  cell_type: 'code',
  source: ['1 +\n', '1'],
  metadata: {},
  outputs: [],
  execution_count: null,
};
const notebook = { nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [cell] };

describe('task types', () => {
  test('are found by their canonical URIs and by the URIs of the other drafts', () => {
    for (const type of builtInTypes.all) {
      expect(type.uri).toBe(`https://www.purl.org/ivoa-net/task-type/${type.name}`);
      for (const uri of [type.uri, ...type.aliases]) expect(builtInTypes.find(uri)).toBe(type);
    }
    expect(builtInTypes.find('uri:jupyter-notebook-1.0')?.name).toBe('jupyter-notebook');
    expect(builtInTypes.find('uri:python-program-1.0')?.name).toBe('python-program');
  });

  test.each([
    '',
    'jupyter-notebook',
    'https://example.org/task-type/jupyter-notebook',
    '__proto__',
    'uri:executable-1.0',
    'https://www.purl.org/ivoa-net/task-type/singularity-container',
  ])('%s is unknown', (uri) => expect(builtInTypes.find(uri)).toBeUndefined());
});

describe.each(builtInTypes.all)('the spec of $name', (type) => {
  const codesOf = (spec: unknown): readonly string[] => {
    const parsed = type.parse(spec, policy);
    return parsed.ok ? [] : parsed.problems.map(({ at, code }) => `${at} ${code}`);
  };

  test.each([null, undefined, [], 'text', 7])('is refused when it is %p, not a crash', (spec) =>
    expect(codesOf(spec)).toEqual([' task-spec-invalid']),
  );

  test('has no key that is ignored', () =>
    expect(codesOf({ strange: 1 })).toContain('strange task-spec-unknown-key'));
});

describe('jupyter-notebook', () => {
  test('a notebook is a URL, an object, or JSON text', () => {
    expect(parse('jupyter-notebook', { notebook: 'https://example.org/a.ipynb' })).toEqual({
      ok: true,
      task: {
        type: 'jupyter-notebook',
        notebook: { kind: 'url', url: 'https://example.org/a.ipynb' },
      },
    });
    const inline = {
      ok: true,
      task: {
        type: 'jupyter-notebook',
        notebook: { kind: 'inline', text: JSON.stringify(notebook) },
      },
    };
    expect(parse('jupyter-notebook', { content: notebook })).toEqual(inline);
    expect(parse('jupyter-notebook', { content: JSON.stringify(notebook) })).toEqual(inline);
  });

  test('has exactly one of notebook and content', () => {
    expect(problemsOf('jupyter-notebook', {})).toEqual(['task.spec task-spec-invalid']);
    expect(
      problemsOf('jupyter-notebook', { notebook: 'https://e.org/', content: notebook }),
    ).toEqual(['task.spec task-spec-invalid']);
  });

  test.each([
    ['text that is not JSON', '{'],
    ['a list', '[]'],
    ['another nbformat', { ...notebook, nbformat: 3 }],
    ['no cells', { nbformat: 4 }],
    ['cells of an unknown kind', { ...notebook, cells: [{ ...cell, cell_type: 'heading' }] }],
    ['a cell without source', { ...notebook, cells: [{ cell_type: 'code' }] }],
    ['a source that is not text', { ...notebook, cells: [{ ...cell, source: [1] }] }],
    ['another language', { ...notebook, metadata: { kernelspec: { language: 'R', name: 'ir' } } }],
    [
      'another language in language_info',
      { ...notebook, metadata: { language_info: { name: 'julia' } } },
    ],
  ])('%s is not a notebook', (_what, content) =>
    expect(problemsOf('jupyter-notebook', { content })).toEqual([
      'task.spec.content notebook-invalid',
    ]),
  );

  test('a forbidden URL and unknown keys are all reported at once, with the ask', () => {
    const parsed = parse('jupyter-notebook', {
      notebook: 'http://10.0.0.1/a',
      kernel: 'x',
      'a\u0000b': 1,
    });
    expect(parsed).toMatchObject({
      problems: [
        { at: 'kernel', code: 'task-spec-unknown-key', asked: 'kernel' },
        { at: 'a\u{fffd}b', code: 'task-spec-unknown-key' },
        { at: 'notebook', code: 'url-forbidden', asked: 'http://10.0.0.1/a' },
      ],
    });
  });

  test('parameters are names of Python and values of JSON', () => {
    const parameters = { band: 'g', depth: 2.5, seen: [true, null, { m31: 1 }] };
    expect(parse('jupyter-notebook', { content: notebook, parameters })).toMatchObject({
      ok: true,
      task: { parameters },
    });
    expect(parse('jupyter-notebook', { content: notebook, parameters: {} })).toMatchObject({
      ok: true,
      task: { parameters: {} },
    });
  });

  test.each<readonly [unknown, string]>([
    [[1], 'parameters'],
    ['x', 'parameters'],
    [{ 'a b': 1 }, 'parameters.a b'],
    [{ lambda: 1 }, 'parameters.lambda'],
    [{ a: Number.NaN }, 'parameters.a'],
    [{ a: new Date(0) }, 'parameters.a'],
    [{ a: [undefined] }, 'parameters.a'],
    [{ a: JSON.parse(`${'['.repeat(30)}${']'.repeat(30)}`) }, 'parameters.a'],
    [{ a: 'x'.repeat(100_001) }, 'parameters'],
    [Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`a${index}`, 1])), 'parameters'],
  ])('parameters that cannot be set are refused (%#)', (parameters, place) =>
    expect(problemsOf('jupyter-notebook', { content: notebook, parameters })).toEqual([
      `task.spec.${place} task-spec-invalid`,
    ]),
  );

  test('an inline notebook has a maximum size', () => {
    const big = { ...notebook, cells: [{ ...cell, source: 'x'.repeat(1_000_001) }] };
    expect(problemsOf('jupyter-notebook', { content: big })).toEqual([
      'task.spec.content task-spec-invalid',
    ]);
  });
});

describe('python-program', () => {
  test('a program is a URL or its text, with arguments', () => {
    expect(parse('python-program', { source: 'print(1)', arguments: ['a', ''] })).toEqual({
      ok: true,
      task: {
        type: 'python-program',
        program: { kind: 'inline', text: 'print(1)' },
        arguments: ['a', ''],
      },
    });
    expect(parse('python-program', { program: 'https://e.org/p.py' })).toMatchObject({
      ok: true,
      task: { arguments: [] },
    });
  });

  test('wrong arguments are named one by one', () => {
    expect(problemsOf('python-program', { source: 'x', arguments: ['ok', 1, 'nul\0'] })).toEqual([
      'task.spec.arguments[1] task-spec-invalid',
      'task.spec.arguments[2] task-spec-invalid',
    ]);
    expect(problemsOf('python-program', { source: 1, arguments: 'x' })).toEqual([
      'task.spec.source task-spec-invalid',
      'task.spec.arguments task-spec-invalid',
    ]);
    expect(
      problemsOf('python-program', {
        source: 'x',
        arguments: Array.from({ length: 1001 }, () => ''),
      }),
    ).toHaveLength(1);
  });
});

describe('executable', () => {
  test('a command is argv as it is', () => {
    expect(
      parse('executable', { command: ['echo', '$(id)', ''], environment: { A: 'b' } }),
    ).toEqual({
      ok: true,
      task: { type: 'executable', command: ['echo', '$(id)', ''], environment: { A: 'b' } },
    });
  });

  test.each([
    [{}, 'task.spec.command'],
    [{ command: [] }, 'task.spec.command'],
    [{ command: 'ls -l' }, 'task.spec.command'],
    [{ command: [''] }, 'task.spec.command[0]'],
    [{ command: ['a\0b'] }, 'task.spec.command[0]'],
    [{ command: ['a', 'x'.repeat(100_001)] }, 'task.spec.command[1]'],
    [{ command: Array.from({ length: 1001 }, () => 'x') }, 'task.spec.command'],
    [{ command: Array.from({ length: 10 }, () => 'x'.repeat(60_000)) }, 'task.spec.command'],
    [{ command: ['a'], environment: [] }, 'task.spec.environment'],
    [{ command: ['a'], environment: { 'A B': 'x' } }, 'task.spec.environment.A B'],
    [{ command: ['a'], environment: { A: 1 } }, 'task.spec.environment.A'],
    [{ command: ['a'], environment: { A: 'x\0' } }, 'task.spec.environment.A'],
  ])('%j is refused', (spec, path) =>
    expect(problemsOf('executable', spec)).toEqual([`${path} task-spec-invalid`]),
  );
});

describe('the tool for rule files', () => {
  const source = (url: string) => ({ kind: 'url', url }) as const;
  test('is named after the URL, inline, or the base name of the command', () => {
    expect(toolName({ type: 'jupyter-notebook', notebook: source('https://e.org/a.ipynb') })).toBe(
      'https://e.org/a.ipynb',
    );
    expect(
      toolName({ type: 'python-program', program: { kind: 'inline', text: '' }, arguments: [] }),
    ).toBe('inline');
    expect(toolName({ type: 'executable', command: ['/usr/bin/env', 'x'], environment: {} })).toBe(
      'env',
    );
    expect(toolName({ type: 'executable', command: ['/'], environment: {} })).toBe('/');
  });

  test('never carries control characters or megabytes', () => {
    const name = toolName({
      type: 'executable',
      command: [`a\n\u{202e}${'b'.repeat(5000)}`],
      environment: {},
    });
    expect(name).toHaveLength(200);
    expect(name).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});
