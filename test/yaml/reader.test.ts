import { describe, expect, test } from '@jest/globals';
import { parseYaml, Reader, suggest } from '../../src/yaml/index.ts';

describe('a reader of values in a document', () => {
  test('records every problem with its place, not only the first', () => {
    const reader = new Reader('site.yml');
    const root = reader.expectMap(
      parseYaml('cores: 900\nnmae: x\nlist: [a, 5]\nsort: fats\n7: x\n'),
      'the file',
    );
    const found = root && reader.expectKeys(root, 'the file', ['cores', 'name', 'list', 'sort']);
    if (found?.cores) reader.expectInt(found.cores, "'cores'", { min: 1, max: 512 });
    if (found?.list) reader.expectStrings(found.list, "'list'");
    if (found?.sort) reader.expectOneOf(found.sort, "'sort'", ['fast', 'slow']);
    expect(reader.problems).toEqual([
      {
        file: 'site.yml',
        line: 5,
        column: 1,
        message: 'a key of the file must be a string, not the number 7',
        hint: 'write it in quotes',
      },
      {
        file: 'site.yml',
        line: 2,
        column: 1,
        message: "the file has no key 'nmae'",
        hint: "did you mean 'name'?",
      },
      {
        file: 'site.yml',
        line: 1,
        column: 8,
        message: "'cores' must be at least 1 and at most 512, not 900",
      },
      {
        file: 'site.yml',
        line: 3,
        column: 11,
        message: "'list'[1] must be a string, not the number 5",
      },
      {
        file: 'site.yml',
        line: 4,
        column: 7,
        message: "'sort' must be one of fast, slow, not the string 'fats'",
        hint: "did you mean 'fast'?",
      },
    ]);
  });

  test('takes 8.0 for a number but not an integer, and infinity for neither', () => {
    const reader = new Reader('f');
    expect(reader.expectNumber(parseYaml('8.0'), 'x')).toBe(8);
    expect(reader.expectInt(parseYaml('8.0'), 'x')).toBeUndefined();
    expect(reader.expectNumber(parseYaml('.inf'), 'x')).toBeUndefined();
    expect(reader.expectBool(parseYaml('yes'), 'x')).toBeUndefined();
    expect(reader.problems).toHaveLength(3);
  });

  test('guesses after a slip and not after another word', () => {
    expect(suggest('max-accepted-cores', ['max_cores', 'max_accepted_cores'])).toBe(
      'max_accepted_cores',
    );
    expect(suggest('banana', ['cores', 'mem'])).toBeUndefined();
  });
});
