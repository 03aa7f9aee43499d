import { describe, expect, test } from '@jest/globals';
import { formatRules } from '../../src/vortex/format.ts';

describe('a formatted rule file', () => {
  test('has its sections, entities and keys in order, and comments go with what they are about', () => {
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
    expect(() => formatRules('global: {default_inherits: [a]}\ntools: {a: {cores: 1}}\n')).toThrow('no name of an entity');
    expect(formatRules('global: {default_inherits: []}\ntools: {default: {cores: 1}, a: {mem: 1}}\n')).toContain('tools:\n  default:\n');
  });

  test('has its rules and context in the order they had, since it matters', () => {
    const text =
      'tools:\n  x:\n    rules:\n    - {if: b, id: two}\n    - {if: a, id: one}\n    context: {z: 1, a: 2}\n';
    expect(formatRules(text)).toBe(
      'tools:\n  x:\n    context: {z: 1, a: 2}\n    rules:\n    - id: two\n      if: b\n    - id: one\n      if: a\n',
    );
  });

  test('is formatted already: twice gives the same', () => {
    const text =
      'tools:\n  y:\n    # c\n    mem: 1\n\n  x:\n    env: {B: "1", A: "2"}\n    rank: |\n      a\n\n      b\n# end\n';
    const once = formatRules(text);
    expect(formatRules(once)).toBe(once);
  });
});
