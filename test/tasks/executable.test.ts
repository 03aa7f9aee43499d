import { describe, expect, test } from '@jest/globals';
import { executable } from '../../src/tasks/executable.ts';

function textsOf(spec: unknown): readonly string[] {
  const parsed = executable.parse(spec, { allowHosts: [], fileRoots: [] });
  return parsed.ok ? [] : parsed.problems.map(({ text }) => text);
}

describe('the command of an executable', () => {
  test('that is misspelt is guessed, and its own name is missing', () => {
    expect(textsOf({ comand: ['sleep', '40'] })).toEqual([
      expect.stringContaining('this task type has no comand (did you mean command?)'),
      'command is missing',
    ]);
  });

  test.each([
    [40, 'command[1] must be a string, not the number 40: write "40", with quotes'],
    [true, 'command[1] must be a string, not the boolean true: write "true", with quotes'],
    [null, 'command[1] must be a string, not null'],
    [{ a: 1 }, 'command[1] must be a string, not a mapping'],
  ])('has strings only, and the refusal of %j says what to write', (word, text) => {
    expect(textsOf({ command: ['sleep', word] })).toEqual([text]);
  });
});
