import { describe, expect, test } from '@jest/globals';
import { changeOf } from '../../clients/typescript/src/streams/change.ts';

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
