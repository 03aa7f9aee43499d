import { expect, test } from '@jest/globals';
import { compareVersions } from '../../src/vortex/version.ts';

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
])('tool version %s is before %s', (earlier, later) => {
  expect(compareVersions(earlier, later)).toBeLessThan(0);
  expect(compareVersions(later, earlier)).toBeGreaterThan(0);
});

test.each([
  ['1.0', '1.0.0'],
  ['v1.0', '1.0'],
  ['1.0-rc.1', '1.0c1'],
  ['1.0+a.1', '1.0+A-1'],
])('tool versions %s and %s are the same', (left, right) => {
  expect(compareVersions(left, right)).toBe(0);
});
