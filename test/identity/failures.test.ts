import { expect, test } from '@jest/globals';
import { openFailures } from '../../src/identity/failures.ts';

const WHO = { user: 'ada', address: '192.0.2.1' };

test('a thousand wrong passwords that were sent at once lock their address out for a minute or two', () => {
  let now = 0;
  const failures = openFailures(() => now);
  for (let count = 0; count < 1000; count += 1) failures.add(WHO);
  expect(failures.wait(WHO)).toBe(63);
  now = 63_000;
  expect(failures.wait(WHO)).toBeUndefined();
});
