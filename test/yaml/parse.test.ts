import { describe, expect, test } from '@jest/globals';
import { parseYaml, YamlError } from '../../src/yaml/index.ts';
import type { Node } from '../../src/yaml/index.ts';

/** The node as plain data: kind and value only. */
function plain(node: Node): unknown {
  switch (node.kind) {
    case 'seq':
      return node.items.map(plain);
    case 'map':
      return new Map(node.entries.map(({ key, value }) => [plain(key), plain(value)]));
    case 'null':
      return null;
    case 'float':
      return { float: node.value };
    case 'date':
      return { date: node.value };
    default:
      return node.value;
  }
}

function failure(text: string, limits = {}): { message: string; line: number; column: number } {
  try {
    parseYaml(text, { limits });
  } catch (error) {
    if (error instanceof YamlError)
      return { message: error.message, line: error.line, column: error.column };
    throw error;
  }
  throw new Error('it was read');
}

describe('YAML 1.2 as rule files are written', () => {
  test.each<[string, unknown]>([
    ['yes', 'yes'],
    ['off', 'off'],
    ['y', 'y'],
    ['true', true],
    ['True', true],
    ['FALSE', false],
    ['tRue', 'tRue'],
    ['null', null],
    ['~', null],
    ['', null],
    ['# nothing', null],
    ['8', 8],
    ['8.0', { float: 8 }],
    ['010', 10],
    ['0o17', 15],
    ['0x10', 16],
    ['-0x10', -16],
    ['1_000', 1000],
    ['+7', 7],
    ['1e3', { float: 1000 }],
    ['1e400', { float: Infinity }],
    ['.5', { float: 0.5 }],
    ['5.', { float: 5 }],
    ['-.inf', { float: -Infinity }],
    ['.nan', { float: NaN }],
    ['24:00:00', '24:00:00'],
    ['2024-01-01', { date: '2024-01-01' }],
    ['2024-1-1', '2024-1-1'],
    ['1.2.3', '1.2.3'],
    ['1180591620717411303424', 1180591620717411303424n],
    ['"8"', '8'],
    ["'it''s'", "it's"],
    ['!!str 8', '8'],
    ['!!float 8', { float: 8 }],
    ['"a\\tb"', 'a\tb'],
    ['- |\n  a\n   b\n- >-\n  c\n  d\n', ['a\n b\n', 'c d']],
  ])('%j', (text, value) => {
    expect(plain(parseYaml(text))).toEqual(value);
  });

  test('keys keep their order, digits too', () => {
    const node = parseYaml("'2': a\nb: b\n'1': c\n");
    expect(node.kind === 'map' && node.entries.map(({ key }) => plain(key))).toEqual([
      '2',
      'b',
      '1',
    ]);
  });

  test('integer and float keys stay what they are', () => {
    expect(plain(parseYaml('1: a\ntrue: b\n'))).toEqual(
      new Map<unknown, unknown>([
        [1, 'a'],
        [true, 'b'],
      ]),
    );
  });

  test('a merge key underlies the keys of the mapping itself', () => {
    const text = 'base: &b {x: 1, y: 2}\nmore: &m {y: 5, z: 6}\nuse:\n  <<: [*b, *m]\n  x: 9\n';
    const node = parseYaml(text);
    const use = node.kind === 'map' ? node.entries[2]?.value : undefined;
    expect(use && plain(use)).toEqual(
      new Map([
        ['x', 9],
        ['y', 2],
        ['z', 6],
      ]),
    );
  });
});

describe('places', () => {
  test('a value knows its line and column, and where its text starts', () => {
    const node = parseYaml("a: 1\nb:\n  - 'x'\n  - |\n    one\n    two\nc:\n");
    const [, list, last] = node.kind === 'map' ? node.entries : [];
    expect(list?.value.kind === 'seq' && list.value.items).toEqual([
      { kind: 'string', value: 'x', at: { line: 3, column: 5 }, text: { line: 3, column: 6 } },
      {
        kind: 'string',
        value: 'one\ntwo\n',
        at: { line: 5, column: 5 },
        text: { line: 5, column: 5 },
      },
    ]);
    expect(last?.value.at.line).toBe(7);
  });

  test('a file with Windows line ends counts the same lines', () => {
    const node = parseYaml('a: 1\r\nb: 2\r\n');
    expect(node.kind === 'map' && node.entries[1]?.value.at).toEqual({ line: 2, column: 4 });
  });
});

describe('brackets and quotes over several lines', () => {
  test.each([
    ['a: {\n  b: 1\n}\nc: 2\n', 'a: {b: 1}\nc: 2\n'],
    ['t:\n  x: [\n    1,\n  ]\n  y: 2\n', 't:\n  x: [1]\n  y: 2\n'],
    ['t:\n  x: "one\n  two"\n', 't:\n  x: "one two"\n'],
    ["t:\n    x: 'one\ntwo\n\nthree'\n", 't:\n    x: "one two\\nthree"\n'],
  ])('need no deeper indentation: %j', (text, same) => {
    expect(plain(parseYaml(text))).toEqual(plain(parseYaml(same)));
  });

  test('leave the later places as they are in the file', () => {
    const node = parseYaml('a: {\n  b: 1\n}\nc: 2\n');
    expect(node.kind === 'map' && node.entries[1]?.key.at).toEqual({ line: 4, column: 1 });
  });
});

describe('refused YAML, and where', () => {
  test.each<[string, string, object]>([
    [
      'a duplicate key',
      'a: 1\nb: 2\na: 3\n',
      { line: 3, column: 1, message: "the key 'a' is here twice; first on line 1" },
    ],
    ['a broken flow list', 'a: [1\nb: 2', { line: 2 }],
    ['a day that no calendar has', 'a: 2001-02-30\n', { line: 1, column: 4 }],
    ['an older YAML', '%YAML 1.1\n---\na: yes\n', { line: 1 }],
    [
      'an alias without anchor',
      'a: *b\n',
      { line: 1, column: 4, message: "there is no anchor '&b' before this alias" },
    ],
    [
      'a node that contains itself',
      'a: &a [*a]\n',
      { line: 1, message: "there is no anchor '&a' before this alias" },
    ],
    [
      'an unknown tag',
      'a: !!python/object x\n',
      { line: 1, column: 4, message: 'the tag !!python/object is not supported' },
    ],
    ['a tag that lies', 'a: !!int x\n', { line: 1, message: "'x' is not what the tag !!int says" }],
    [
      'two documents',
      'a: 1\n---\nb: 1\n',
      { message: 'there is more than one document in this file; one is read' },
    ],
    [
      'a key that is a list',
      '? [a]\n: b\n',
      { line: 1, message: 'a key must be a scalar, and this is a list' },
    ],
    [
      'a merge of a number',
      'a:\n  <<: 5\n',
      { line: 2, message: "'<<' merges mappings, and this is the number 5" },
    ],
  ])('%s', (_what, text, expected) => {
    expect(failure(text)).toMatchObject(expected);
  });

  test('a billion laughs', () => {
    const levels = Array.from(
      { length: 9 },
      (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(', ')}]`,
    );
    expect(failure(`a0: &a0 [x]\n${levels.join('\n')}\n`).message).toBe('more than 400000 values');
  });

  test('too many aliases, too much text, too deep', () => {
    expect(failure('[&a x, *a, *a, *a]', { aliases: 2 }).message).toBe('more than 2 aliases');
    expect(failure('abcdef', { length: 5 }).message).toBe(
      'the text is 6 characters long; at most 5 are read',
    );
    expect(failure(`${'['.repeat(5000)}${']'.repeat(5000)}`).line).toBe(1);
  });
});

describe('what ruamel.yaml reads in its own way', () => {
  const valueOf = (text: string): unknown => {
    const node = parseYaml(text);
    return node.kind === 'map' && node.entries[0]?.value.kind === 'string'
      ? node.entries[0].value.value
      : node.kind;
  };

  test.each(['a: 1\t\n', 'a:\t1\n', '\t\na: 1\n', 'a: x\ty\n', 'a: [x\ty]\n'])(
    'a tab outside of quotes is refused: %j',
    (text) => {
      expect(() => parseYaml(text)).toThrow('there is a tab here');
    },
  );

  test.each(["a: 'x\ty'\n", 'a: [1,\t2]\n', 'a: 1 # x\ty\n', 'a: |\n  x\ty\n'])(
    'a tab is fine in %j',
    (text) => {
      expect(() => parseYaml(text)).not.toThrow();
    },
  );

  test.each([
    ['a: |\n  x', 'x'],
    ['a: |\n  x\n', 'x\n'],
    ['a: |\n  x\n  ', 'x\n'],
    ['a: >\n  x\n  y', 'x y'],
  ])(
    'a block at the end of a file ends with a line break only if the file does: %j',
    (text, expected) => {
      expect(valueOf(text)).toBe(expected);
    },
  );

  test('empty lines behind an escaped line break stay', () => {
    expect(valueOf('a: "x\\\n\n\n  y"\n')).toBe('x\n\ny');
  });

  test.each(['a: 1 # \u0001\n', '...\na: 1\n', '%YAML 1.3\n---\na: 1\n'])(
    '%j is refused',
    (text) => {
      expect(() => parseYaml(text)).toThrow(YamlError);
    },
  );
});
