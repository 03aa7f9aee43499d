import { describe, expect, test } from '@jest/globals';
import { parseYaml, YamlError } from '../../src/yaml/index.ts';
import { emitYaml } from '../../src/vortex/tools/yaml/emit.ts';
import { readLayout } from '../../src/vortex/tools/yaml/layout.ts';
import { represented } from '../../src/vortex/tools/yaml/represent.ts';

function again(text: string): string {
  return emitYaml(represented(readLayout(text)));
}

/** What a document says, without places. */
function meaning(text: string): unknown {
  return JSON.parse(
    JSON.stringify(parseYaml(text), (key, value: unknown) =>
      key === 'at' || key === 'text' ? undefined : value,
    ),
  );
}

describe('YAML that is written again', () => {
  test('keeps its comments and empty lines where they are', () => {
    const text = [
      'tools: # of the site',
      '  # first',
      '  x:',
      '    cores: 1 # one',
      '',
      '    # above mem',
      '    mem: 2',
      '    tags: [a, b] # two',
      '    # above env',
      '    env: {}',
      '    rank: x',
      '# the end',
      '',
    ].join('\n');
    expect(again(text)).toBe(text);
  });

  test.each([
    ['a text that is no number', "a: '8'\n"],
    ['a text with an apostrophe, in double quotes', 'a: "it\'s: so"\n'],
    ['lines, as a block', 'a: |\n  one\n\n  two\nb: |-\n  three\n'],
    ['a folded text with its own lines', 'a: >\n  one\n  two\n\n  three\n'],
    ['spelled numbers', 'a: 0x10\nb: 1_000\nc: 1e3\nd: 2.50\ne: 010\n'],
    ['lists in lists', 'a:\n- - 1\n  - 2\n- b: 1\n  c: 2\n'],
    ['what stands in braces', 'a: {b: [1, 2], c: {d: e}}\n'],
  ])('%s stays as it is', (_name, text) => {
    expect(again(text)).toBe(text);
  });

  test.each([
    ['Null and booleans have one form', 'a: ~\nb: null\nc: TRUE\n', 'a:\nb:\nc: true\n'],
    ['zero has no sign', 'a: -0\nb: +0\n', 'a: 0\nb: 0\n'],
    ['quotes that nobody needs go', 'a: "b"\n\'c\': d\n', 'a: b\nc: d\n'],
    [
      'indentation is two, and lists stand under their key',
      'a:\n    b:\n        - c\n',
      'a:\n  b:\n  - c\n',
    ],
  ])('%s', (_name, text, written) => {
    expect(again(text)).toBe(written);
  });

  test('a long line is folded and keeps its meaning', () => {
    const words = Array.from({ length: 40 }, (_, index) => `word${index}`).join(' ');
    const text = `a: ${words}\nb: "${words}: it's"\nc: '${words} #1'\n`;
    const written = again(text);
    expect(Math.max(...written.split('\n').map((line) => line.length))).toBeLessThan(95);
    expect(meaning(written)).toEqual(meaning(text));
  });

  test('characters that no other style can hold are escaped in double quotes', () => {
    const text = 'a: "tab\\there \\u0007 \\u00A0 ☃"\n';
    expect(meaning(again(text))).toEqual(meaning(text));
  });

  test('names, aliases and tags are written again; an unnamed value that comes twice gets a name', () => {
    expect(again('a: &x 1\nb: *x\nc: !secret d\n')).toBe('a: &x 1\nb: *x\nc: !secret d\n');
    const twice = readLayout('k: 1\n');
    const list = represented({
      kind: 'seq',
      flow: false,
      items: [{ node: twice }, { node: twice }],
    });
    expect(emitYaml(list)).toBe('- &id001\n  k: 1\n- *id001\n');
  });

  test('an alias of nothing is refused with its place', () => {
    expect(() => readLayout('a: *x\n')).toThrow(YamlError);
    expect(() => readLayout('a: &x [*x]\n')).toThrow(YamlError);
  });
});

describe('lists below a comment, and long keys', () => {
  test('a comment behind a dash goes above its item', () => {
    expect(again('r:\n- a: 1\n-  # note\n  b: 1\n')).toBe('r:\n- a: 1\n   # note\n- b: 1\n');
  });

  test('items keep to their lines below a comment', () => {
    expect(again('k:  # note\n- []\n- 1E5\n- x\n')).toBe('k:  # note\n- []\n- 1E5\n- x\n');
    expect(again('k:  # note\n-\n  - 1\n  - 2\n')).toBe('k:  # note\n- - 1\n  - 2\n');
  });

  test('a key of 123 characters is set apart', () => {
    const key = 'k'.repeat(123);
    expect(again(`${key}:\n  a: 1\n`)).toBe(`? ${key}\n: a: 1\n`);
    expect(again(`${key.slice(1)}:\n  a: 1\n`)).toBe(`${key.slice(1)}:\n  a: 1\n`);
  });
});

describe('comments in odd places', () => {
  test.each([
    ['behind `|` and `>` they stay there', 'a: |  # of a\n  x\nb: >- # of b\n  y\n'],
    ['between a list and the next key they belong to the list', 'a:\n- 1\n- []\n  # below\nb: 1\n'],
    ['above a value in braces they stay above it', 'a:\n  # above\n  [1, 2]\n'],
    ['inside of braces they end their line', 'a: [1 # one\n, 2]\n'],
    ['above a list in a mapping they stay above it', 'a:\n# above\n- 1\n'],
  ])('%s', (_name, text) => {
    expect(again(text)).toBe(text);
  });

  test('behind an alias they go above the next key, and a named value takes its own along', () => {
    expect(again('a: &x 1 # one\nb: *x  # two\nc: 1\n')).toBe(
      'a: &x 1 # one\nb: *x\n       # two\nc: 1\n',
    );
  });

  test('columns count characters, and lines with less indentation than YAML wants count as they are', () => {
    expect(again('a:\n  b: "😀"     # c\n')).toBe('a:\n  b: 😀       # c\n');
    expect(again('a:\n  b:\n    c: "x\n  y"   # c\n')).toBe('a:\n  b:\n    c: x y # c\n');
  });

  test('no comment is lost where TPV fails: behind a key, and empty lines behind its value below', () => {
    expect(again('a: # c\n  b\n\nd: 1\n')).toBe('a: b # c\n\nd: 1\n');
  });

  test('a duplicate key is refused, also in braces and with quotes', () => {
    expect(() => readLayout('a: 1\n"a": 2\n')).toThrow("the key 'a' is here twice");
    expect(() => readLayout('{a: {b: 1, b: 2}}\n')).toThrow("the key 'b' is here twice");
    expect(again('1: a\n"1": b\n')).toBe("1: a\n'1': b\n");
  });
});
