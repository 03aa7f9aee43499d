import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isJobName, jobNameFrom } from '../../src/planner/job-name.ts';

test('a name has up to 64 characters and no control characters', () => {
  for (const text of ['a', 'Deep field 7, run 3', 'ü → 🔭', 'x'.repeat(64)])
    expect(isJobName(text)).toBe(true);
  for (const text of ['', 'x'.repeat(65), 'a\nb', 'a\tb', 'a\u0000', '\u009f', '\ud83d', '\uffff'])
    expect(isJobName(text)).toBe(false);
});

test('a label of any length and any characters becomes a name, or none', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (label) => {
      const name = jobNameFrom(label);
      const fits = name === undefined || isJobName(name);
      const stays = !isJobName(label.trim()) || name === label.trim();
      expect([fits, stays]).toEqual([true, true]);
    }),
  );
  expect(jobNameFrom(' \n ')).toBeUndefined();
  expect(jobNameFrom(`${'x'.repeat(63)}🔭`)).toBe('x'.repeat(63));
});
