import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Unreachable, WaitTimeout } from '../../clients/typescript/src/index.ts';
import { loses, refuses, scripted, type Step } from './scripted.ts';
import { settle, stopClock, timeOf } from './time.ts';
import { all } from './watched.ts';

beforeEach(stopClock);
afterEach(() => {
  jest.useRealTimers();
});

/** Answers after the time that the request wants to wait, as the service does. */
function late(phase: string): Step {
  return async (request) => {
    const seconds = Number(new URL(request.url).searchParams.get('WAIT') ?? 0);
    await new Promise((done, fail) => {
      setTimeout(done, seconds * 1000);
      request.signal.addEventListener('abort', () => fail(request.signal.reason));
    });
    return inPhase(phase)(request);
  };
}

function waitsOf(requests: readonly Request[]): readonly string[] {
  return requests.map(({ url }) => new URL(url).search);
}

describe('to wait for a job', () => {
  test('asks the service to wait for a minute at most, and for what is left of the time', async () => {
    const { planner, requests } = scripted([late('EXECUTING')]);
    const waiting = planner
      .job('7')
      .wait({ timeout: 90_500 })
      .catch((error: unknown) => error);
    expect(await timeOf(waiting)).toBe(90_500);
    expect(await waiting).toBeInstanceOf(WaitTimeout);
    expect(waitsOf(requests).slice(0, 3)).toEqual([
      '',
      '?WAIT=60&PHASE=EXECUTING',
      '?WAIT=30&PHASE=EXECUTING',
    ]);
    expect(requests.length).toBeLessThan(6);
  });

  test('tells of each phase as it comes', async () => {
    const steps = ['PENDING', 'QUEUED', 'EXECUTING', 'EXECUTING', 'COMPLETED'].map(inPhase);
    const { planner } = scripted(steps);
    const watching = all(planner.job('7').watch());
    await timeOf(watching);
    expect((await watching).map(({ phase }) => phase)).toEqual([
      'PENDING',
      'QUEUED',
      'EXECUTING',
      'EXECUTING',
      'COMPLETED',
    ]);
  });

  test('pauses, longer each time, where the service does not wait', async () => {
    const { planner, requests } = scripted([inPhase('EXECUTING')]);
    const waiting = planner
      .job('7')
      .wait({ timeout: 60_000 })
      .catch(() => undefined);
    await timeOf(waiting);
    // Half a second, doubled each time, up to five seconds.
    expect(requests.length).toBeGreaterThan(12);
    expect(requests.length).toBeLessThan(20);
  });

  test('outlives a service that is away for a while, and not one that stays away', async () => {
    const away = Array.from({ length: 12 }, () => loses);
    const { planner } = scripted([
      inPhase('EXECUTING'),
      ...away,
      refuses(503),
      inPhase('COMPLETED'),
    ]);
    const waiting = planner.job('7').wait();
    await timeOf(waiting);
    expect((await waiting).phase).toBe('COMPLETED');
    const gone = scripted([inPhase('EXECUTING'), loses]);
    const other = gone.planner
      .job('7')
      .wait()
      .catch((error: unknown) => error);
    const ms = await timeOf(other);
    expect(await other).toBeInstanceOf(Unreachable);
    expect(ms).toBeGreaterThan(300_000);
    expect(ms).toBeLessThan(330_000);
  });

  test('asks in no tight loop, and at least each minute, whatever Retry-After says', async () => {
    for (const [seconds, times, least, most] of [
      ['0', 4, 2000, 20_000],
      ['86400', 1, 60_000, 70_000],
    ] as const) {
      const busy = Array.from({ length: times }, () => refuses(503, { 'Retry-After': seconds }));
      const { planner } = scripted([inPhase('QUEUED'), ...busy, inPhase('COMPLETED')]);
      const waiting = planner.job('7').wait();
      const ms = await timeOf(waiting);
      expect((await waiting).phase).toBe('COMPLETED');
      expect(ms).toBeGreaterThanOrEqual(least);
      expect(ms).toBeLessThan(most);
    }
  });

  test('ends with a refusal', async () => {
    const { planner } = scripted([inPhase('QUEUED'), refuses(404)]);
    const waiting = planner
      .job('7')
      .wait()
      .catch((error: unknown) => error);
    await timeOf(waiting);
    expect(await waiting).toMatchObject({ status: 404 });
  });

  test('does not mind a clock that jumps', async () => {
    const { planner, requests } = scripted([late('EXECUTING')]);
    const waiting = planner
      .job('7')
      .wait({ timeout: 100_000 })
      .catch((error: unknown) => error);
    await settle();
    jest.setSystemTime(Date.parse('2036-01-01'));
    await jest.advanceTimersByTimeAsync(30_000);
    jest.setSystemTime(Date.parse('1996-01-01'));
    expect(await timeOf(waiting)).toBe(70_000);
    expect(waitsOf(requests).slice(1, 3)).toEqual([
      '?WAIT=60&PHASE=EXECUTING',
      '?WAIT=40&PHASE=EXECUTING',
    ]);
  });
});

function inPhase(phase: string): Step {
  return () =>
    Response.json({ jobId: '7', phase, startTime: null, errorSummary: null, results: [] });
}
