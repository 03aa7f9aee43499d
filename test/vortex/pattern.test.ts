import { describe, expect, test } from '@jest/globals';
import { compilePattern } from '../../src/vortex/file/pattern.ts';

function matches(pattern: string, text: string): boolean {
  return compilePattern(pattern).test(text);
}

describe('a key of a rule file is a Python regular expression, matched at the start', () => {
  test.each<[string, string, boolean]>([
    ['bwa', 'bwa_mem', true],
    ['bwa', 'x_bwa', false],
    ['bwa$', 'bwa\n', true],
    ['bwa$', 'bwa_mem', false],
    ['.*', '', true],
    ['a.c', 'a\u2028c', true],
    ['a.c', 'a\rc', true],
    ['a.c', 'a\nc', false],
    ['a/1.0+galaxy1', 'a/1.0+galaxy1', false],
    [String.raw`a/1.0\+galaxy1`, 'a/1.0+galaxy1', true],
    [String.raw`\d+`, '٣', true],
    [String.raw`\w+$`, 'é_9', true],
    [String.raw`\bx\b`, 'x y', true],
    ['a{2}', 'aa', true],
    ['a{,2}b', 'aab', true],
    ['a{x}', 'a{x}', true],
    ['{}', '{}', true],
    ['[]a]+$', ']a', true],
    ['[^]a]', ']', false],
    ['[a-c-]+$', 'a-c', true],
    [String.raw`[\w.-]+@x`, 'a.b-c@x', true],
    ['(?P<year>x)y', 'xy', true],
    ['(?:a|b)+c', 'abac', true],
    ['(?!x)y', 'y', true],
    ['(?i)BWA', 'bwa', true],
    ['tool-x', 'tool-x', true],
    [String.raw`\Abwa\Z`, 'bwa', true],
    [String.raw`\x41\u0042`, 'AB', true],
    ['a++a', 'aaa', false],
    ['(?:ab)*+c', 'ababc', true],
    ['(?>a|ab)c', 'abc', false],
    ['(?>a|ab)c', 'ac', true],
    [String.raw`(.)\1$`, 'aa', true],
    [String.raw`(.)\1$`, 'ab', false],
    ['(?P<x>b)(?P=x)', 'bb', true],
    ['(?is)A.B', 'a\nb', true],
    ['a(?i:B)c', 'abc', true],
    ['a(?i:B)c', 'abC', false],
    ['(?i)a(?-i:B)', 'Ab', false],
    ['(?x) b w a  # the tool', 'bwa', true],
    ['(?m)a$\nb', 'a\nb', true],
    [String.raw`(?a)\w+$`, 'é', false],
    [String.raw`[\W]`, ' ', true],
    [String.raw`[^\Wb]`, 'a', true],
    [String.raw`[^\Wb]`, 'b', false],
    [String.raw`a\Bb`, 'ab', true],
    ['b(?#wa)x', 'bx', true],
    [String.raw`\101\0`, 'A\0', true],
  ])('%s on %j: %s', (pattern, text, expected) => {
    expect(matches(pattern, text)).toBe(expected);
  });

  test.each([
    ['bwa\\', 'bad escape (end of pattern) at character 4'],
    ['bwa[0-9]^++', 'there is nothing to repeat at character 10'],
    ['(|+a)', 'there is nothing to repeat at character 3'],
    ['a+++', 'multiple repeat at character 4'],
    ['a**', 'multiple repeat at character 3'],
    ['*a', 'there is nothing to repeat at character 1'],
    ['(a', 'missing ), unterminated subpattern at character 3'],
    ['a)', 'unbalanced parenthesis at character 2'],
    ['[a', 'unterminated character set at character 1'],
    [String.raw`(a)|\1`, 'backreferences beside alternatives are not supported at character 5'],
    [String.raw`\1(a)`, 'there is no such group before this reference at character 1'],
    ['(a)(?(1)b|c)', "the group '(?(1' is not supported at character 4"],
    ['a(?i)b', "the group '(?i)' is not supported at character 2"],
    [String.raw`\q`, String.raw`bad escape \q at character 1`],
    ['[z-a]', 'this is not a regular expression at character 1'],
  ])('%s is refused: %s', (pattern, message) => {
    expect(() => compilePattern(pattern)).toThrow(message);
  });
});
