import { expect, test } from '@jest/globals';
import { gathered } from '../../../src/console/live/gathered.ts';

test('calls within a time are served together', async () => {
  let count = 0;
  let done = Promise.withResolvers<void>();
  const one = gathered(5, () => {
    count += 1;
    done.resolve();
  });
  one.call();
  one.call();
  await done.promise;
  expect(count).toBe(1);
  done = Promise.withResolvers();
  one.call();
  await done.promise;
  one.call();
  one.cancel();
  await new Promise((wait) => setTimeout(wait, 10));
  expect(count).toBe(2);
});
