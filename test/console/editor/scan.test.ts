import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { dump } from 'js-yaml';
import { scanned } from '../../../src/console/editor/scan.ts';

/** Where `^` is in a text: the path, what can be there, and the word. */
function placeIn(marked: string) {
  const cursor = marked.indexOf('^');
  const text = marked.replace('^', '');
  const { place } = scanned(text, cursor);
  if (place === undefined) return undefined;
  const { path, kind, taken, from, to } = place;
  return [path.join('.'), kind, text.slice(from, to), [...taken].join()];
}

/** Documents with leaves of different names, and the paths of these. */
const tree = fc
  .letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      fc.constant('leaf'),
      fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
      fc.dictionary(fc.stringMatching(/^[a-z][a-z-]{0,5}$/), tie('node'), {
        minKeys: 1,
        maxKeys: 3,
      }),
    ),
  }))
  .node.map((node) => {
    const paths: string[] = [];
    const named = (value: unknown, path: readonly string[]): unknown => {
      if (Array.isArray(value)) return value.map((item) => named(item, [...path, '[]']));
      if (typeof value !== 'object' || value === null)
        return `leaf${paths.push(path.join('.')) - 1}x`;
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, named(item, [...path, key])]),
      );
    };
    return { document: named({ top: node }, []), paths };
  });

describe('the place of the cursor', () => {
  test.each([
    ['^', '', 'any', '', ''],
    ['ta^', '', 'any', 'ta', ''],
    ['task:\n  ^', 'task', 'any', '', ''],
    ['task:\n  ty^\n  spec: {}', 'task', 'any', 'ty', 'spec'],
    ['task:\n  type: x\n^', '', 'key', '', 'task'],
    ['task:\n  t^ype: x\n  spec: {}', 'task', 'key', 'type', 'type,spec'],
    ['task:\n  type: ht^tp://x # why', 'task.type', 'value', 'http://x', ''],
    ['resources:\n  compute:\n  - mi^', 'resources.compute.[]', 'any', 'mi', ''],
    ['resources:\n  compute:\n  - a: 1\n    ^', 'resources.compute.[]', 'key', '', 'a'],
    ['resources:\n  compute:\n  - a: 1\n  ^', 'resources', 'key', '', 'compute'],
    ['- - a: ^', '[].[].a', 'value', '', ''],
    ['a:\n- b\n- ^', 'a.[]', 'any', '', ''],
    ['a: {b: 1, ^', 'a', 'key', '', 'b'],
    ['a: {b: 1, c^: 2}\nd: 1', 'a', 'key', 'c', 'b,c'],
    ['a: {b: ^', 'a.b', 'value', '', ''],
    ['a: [x, ^y z, 1]', 'a.[]', 'value', 'y z', ''],
    ['{"a": {"b": "x^y"}}', 'a.b', 'value', '"xy"', ''],
    ['{"a": {"b^', 'a', 'key', '"b', ''],
    ['{\n  "a": 1,\n  ^\n}', '', 'key', '', 'a'],
    ['source: |\n  x: 1\n^', '', 'key', '', 'source'],
    ['a: "x # y"\nb: ^', 'b', 'value', '', ''],
  ])('%j', (text, ...expected) => {
    expect(placeIn(text)).toEqual(expected);
  });

  test.each([
    'a: 1 # wh^y',
    '# ^',
    'source: |\n  im^port',
    'source: |\n  a:\n  ^\n',
    '^  a: 1',
    'a: [1] ^',
  ])('nothing is possible at %j', (text) => {
    expect(placeIn(text)).toBeUndefined();
  });

  test('braces that are not closed end with the first line that is indented too little', () => {
    expect(placeIn('a:\n  b: {c: 1,\nd:\n  ^')).toEqual(['d', 'any', '', '']);
    expect(placeIn('a: [\nb: ^')).toEqual(['b', 'value', '', '']);
    expect(placeIn('a: [{b: 1},\n  {^')).toEqual(['a.[]', 'key', '', '']);
  });

  test('every value has the path that the parser gives it, also where the text ends with it', () => {
    fc.assert(
      fc.property(tree, ({ document, paths }) => {
        const texts = [
          dump(document),
          dump(document, { flowLevel: 2 }),
          JSON.stringify(document),
          JSON.stringify(document, null, 2),
        ];
        for (const text of texts) {
          for (const [index, path] of paths.entries()) {
            const cursor = text.indexOf(`leaf${index}x`) + 2;
            expect(scanned(text, cursor).place?.path.join('.')).toBe(path);
            expect(scanned(text.slice(0, cursor), cursor).place?.path.join('.')).toBe(path);
          }
        }
      }),
    );
  });

  test('any text is read to its end', () => {
    const typed = fc.string({
      unit: fc.constantFrom(...'ab:-#{}[],"\'|> \n'.split('')),
      maxLength: 60,
    });
    fc.assert(
      fc.property(typed, fc.nat(60), (text, at) => {
        const cursor = Math.min(at, text.length);
        const { place } = scanned(text, cursor);
        if (place === undefined) return;
        expect(place.from).toBeLessThanOrEqual(cursor);
        expect(place.to).toBeGreaterThanOrEqual(cursor);
        expect(place.to).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 2000 },
    );
  });
});

test.each([
  ['# mine\na: 1', true],
  ['a: 1 # mine', true],
  ['a: [1, # mine\n  2]', true],
  ['a: {b: 1} # mine', true],
  ['a: | # mine\n  x', true],
  ['a: |\n  # of the program\n  x\nb: 1', false],
  ['a: "x # y"', false],
  ["a: ['x # y']", false],
  ['a: x#y', false],
])('comments of %j: %s', (text, expected) => {
  expect(scanned(text).hasComments).toBe(expected);
});
