import { expect, test } from '@jest/globals';
import { map } from '../../src/vortex/index.ts';
import { compareVersions } from '../../src/vortex/version.ts';
import { jobOf, rulesOf, surroundings } from './job.ts';

test.each([
  ['1.0.dev1', '1.0a1'],
  ['1.0a2', '1.0b1'],
  ['1.0rc1', '1.0'],
  ['1.0', '1.0.post1'],
  ['1.9', '1.10'],
  ['2.1.0', '2.1.0+galaxy0'],
  ['2.1.0+galaxy10', '2.1.0+galaxy9'],
  ['not a version', '0.1'],
  ['1.0-x!', '1.0-y!'],
  ['1.0-galaxy9', '1.0-galaxy10'],
  ['1.0-galaxy1alpha', '1.0-galaxy1'],
  ['1.0-galaxy1', '1.0-galaxy1.1'],
  ['1.0_x_dev', '1.0_x'],
  ['1.0_x_rc1', '1.0_x'],
  ['1.0(1)', '1.0(2)'],
  ['1.0(a', '1.0)a'],
])('tool version %s is before %s', (earlier, later) => {
  expect(compareVersions(earlier, later)).toBeLessThan(0);
  expect(compareVersions(later, earlier)).toBeGreaterThan(0);
});

test.each([
  ['1.0', '1.0.0'],
  ['v1.0', '1.0'],
  ['1.0-rc.1', '1.0c1'],
  ['1.0+a.1', '1.0+A-1'],
  ['1.2.0-galaxy', '1.2-galaxy'],
  ['1_x_pre2', '1_x_rc2'],
])('tool versions %s and %s are the same', (left, right) => {
  expect(compareVersions(left, right)).toBe(0);
});

/** What an expression of a rule is, for a tool of version 1.9-galaxy2. */
function valueOf(python: string): unknown {
  const rules = rulesOf(`
tools:
  x:
    rules:
    - if: true
      execute: |
        from galaxy.tool_util.version import parse_version as v
        entity.params = {'out': str(${python})}
destinations: {a: {runner: slurm}}
`);
  const tool = { id: 'x', version: '1.9-galaxy2', requirements: [] };
  const decision = map(rules, { ...jobOf('x'), tool }, surroundings);
  if (decision.kind === 'destination') return decision.chosen.params['out'];
  return decision.kind === 'error' ? `${decision.className}: ${decision.message}` : decision.kind;
}

test.each([
  ['[v(tool.version) < v("1.9-galaxy10"), v("1.9-galaxy2") == v(tool.version)]', '[True, True]'],
  [
    'sorted([v("2.0"), v("x"), v(tool.version)])[:2]',
    "[<LegacyVersion('x')>, <LegacyVersion('1.9-galaxy2')>]",
  ],
  ['[v("0.1") > v("x"), v("x") < v("0.1"), v("x") != v("0.1")]', '[True, True, True]'],
  ['helpers.tool_version_lt(tool, "1.9-galaxy10")', 'True'],
  [
    'helpers.tool_version_lt(tool, 1.10)',
    "TypeError: expected string or bytes-like object, got 'float'",
  ],
  ['v(1)', "TypeError: expected string or bytes-like object, got 'int'"],
  ['len({v("99999999999999999999"), v("99999999999999999999.0"), v("99999999999999999998")})', '2'],
])('a rule that says %s gets %s', (python, expected) => {
  expect(valueOf(python)).toBe(expected);
});
