import { describe, expect, test } from '@jest/globals';
import { formatRules } from '../../src/vortex/tools/format.ts';

describe('a formatted rule file', () => {
  test('has its sections, entities and keys in order, and comments stay with their subjects', () => {
    const text = `
destinations:
  d: {runner: r}
tools:
  b:
    mem: 4 # of b
    cores: 2
  repo/x/.*: {cores: 1}
  # about a
  a: {cores: 1}
  base: {abstract: true}
global: {default_inherits: base}
`;
    expect(formatRules(text)).toBe(`global: {default_inherits: base}
tools:
  base:
    abstract: true
  repo/x/.*:
    cores: 1
  # about a
  a:
    cores: 1
  b:
    cores: 2
    mem: 4 # of b
destinations:
  d:
    runner: r
`);
  });

  test('is refused when the entity to inherit from is a list, as TPV fails then', () => {
    expect(() => formatRules('global: {default_inherits: [a]}\ntools: {a: {cores: 1}}\n')).toThrow(
      'no name of an entity',
    );
    expect(
      formatRules('global: {default_inherits: []}\ntools: {default: {cores: 1}, a: {mem: 1}}\n'),
    ).toContain('tools:\n  default:\n');
  });

  test('has its rules and context in their original order, since it matters', () => {
    const text =
      'tools:\n  x:\n    rules:\n    - {if: b, id: two}\n    - {if: a, id: one}\n    context: {z: 1, a: 2}\n';
    expect(formatRules(text)).toBe(
      'tools:\n  x:\n    context: {z: 1, a: 2}\n    rules:\n    - id: two\n      if: b\n    - id: one\n      if: a\n',
    );
  });

  test('does not change when it is formatted again', () => {
    const text =
      'tools:\n  y:\n    # c\n    mem: 1\n\n  x:\n    env: {B: "1", A: "2"}\n    rank: |\n      a\n\n      b\n# end\n';
    const once = formatRules(text);
    expect(formatRules(once)).toBe(once);
  });

  test('has a long key on one line: TPV folds it, and cannot read its own file', () => {
    const key = 'toolshed.g2.bx.psu.edu/repos/iuc/extract_genomic_dna/Extract genomic DNA 1/3.0.3';
    expect(formatRules(`tools:\n  ${key}: {cores: 1}\n`)).toBe(`tools:\n  ${key}:\n    cores: 1\n`);
  });

  test.each([
    [
      'a comment below a block is none of its lines',
      'tools:\n    a:\n        rank: |\n            b\n          # c\n        # d\n        mem: 1\n',
      'tools:\n  a:\n    mem: 1\n    rank: |\n      b\n     # c\n    # d\n',
    ],
    [
      'a block that keeps its empty lines gets no more of them',
      'tools:\n  a:\n    rank: |+\n      b\n\n# c\n    mem: 1\n',
      'tools:\n  a:\n    mem: 1\n    rank: |+\n      b\n\n# c\n...\n',
    ],
    [
      'several spaces are no place to fold',
      `tools: {}\nx: ${'word '.repeat(15)}       ${'y'.repeat(20)}\n`,
      `tools: {}\nx: ${'word '.repeat(15)}       ${'y'.repeat(20)}\n`,
    ],
    [
      'a tag stays what it is',
      'tools:\n  a: {context: {v: !!str 5}}\n',
      'tools:\n  a:\n    context: {v: !!str 5}\n',
    ],
    [
      'a key with a comment stays apart from its value',
      'tools:\n  a:\n    ? cores # c\n    : 1\n',
      'tools:\n  a:\n    ? cores # c\n    : 1\n',
    ],
  ])('keeps the meaning of the file where that of TPV does not: %s', (_what, text, formatted) => {
    expect(formatRules(text)).toBe(formatted);
  });

  test('is refused where its meaning would change', () => {
    const text = 'tools:\n  a:\n    context:\n      <<: [{? &n1 v # c\n       : 1}]\n';
    expect(() => formatRules(text)).toThrow(
      'cannot be laid out so that it still says what it says',
    );
  });
});
