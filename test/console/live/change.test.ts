import { describe, expect, test } from '@jest/globals';
import { changeOf } from '../../../src/console/live/change.ts';
import { gathered } from '../../../src/console/live/gathered.ts';

describe('an event of the service', () => {
  test.each([
    ['start', '{}', { kind: 'start' }],
    ['book', '{"number":4}', { kind: 'book' }],
    [
      'offer',
      '{"id":"7","ask":"5","state":"EXPIRED"}',
      { kind: 'offer', id: '7', state: 'EXPIRED' },
    ],
    [
      'job',
      '{"id":"7","state":"RUNNING","phase":"EXECUTING"}',
      { kind: 'job', id: '7', phase: 'EXECUTING' },
    ],
    ['job', '{"id":"7","state":"NEW"}', { kind: 'job', id: '7', phase: undefined }],
  ])('is read: %s %s', (name, data, change) => {
    expect(changeOf(name, data)).toEqual(change);
  });

  test.each([
    ['offer', '{"id":7}'],
    ['offer', 'null'],
    ['job', 'not JSON'],
    ['message', '{}'],
  ])('of another version of the service is left out: %s %s', (name, data) => {
    expect(changeOf(name, data)).toBeUndefined();
  });
});

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
