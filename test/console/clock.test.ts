import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { textOfStarts } from '../../src/console/ask/fields/starts.ts';
import { learnTime, serviceNow } from '../../src/console/clock.ts';

const NOON = Date.parse('2026-11-24T12:00:00Z');
const HOUR = 3_600_000;

/** An answer of the service. */
function answerAt(instant: number, cache = 'no-store'): Pick<Response, 'headers'> {
  return new Response('', {
    headers: { date: new Date(instant).toUTCString(), 'cache-control': cache },
  });
}

describe('the time by the clock of the service', () => {
  beforeEach(() => {
    jest.useFakeTimers({ now: NOON });
    learnTime(answerAt(NOON));
  });
  afterEach(() => void jest.useRealTimers());

  test('is told by its answers where the clock of the page is wrong', () => {
    learnTime(answerAt(NOON + 5 * HOUR));
    expect(serviceNow()).toBe(NOON + 5 * HOUR);
    jest.setSystemTime(NOON + HOUR);
    expect(serviceNow()).toBe(NOON + 6 * HOUR);
    // Somebody set the page's clock right.
    learnTime(answerAt(NOON + HOUR));
    expect(serviceNow()).toBe(NOON + HOUR);
  });

  test('is not that of an answer that may have been kept, and not moved by seconds on the way', () => {
    learnTime(answerAt(NOON - 5 * HOUR, 'private, no-cache'));
    learnTime(answerAt(NOON - 3000));
    learnTime(new Response('', { headers: { 'cache-control': 'no-store' } }));
    expect(serviceNow()).toBe(NOON);
  });

  test('is the earliest start of an ask that says only its latest one', () => {
    learnTime(answerAt(NOON - 5 * HOUR));
    expect(textOfStarts({ start: undefined, until: NOON })).toBe(
      '2026-11-24T07:00:00.000Z/2026-11-24T12:00:00.000Z',
    );
  });
});
