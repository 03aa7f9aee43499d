import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Change } from '../../../clients/typescript/src/streams/change.ts';
import type { EventServer } from './event-server.ts';
import {
  begin,
  cutAt,
  lastOf,
  load,
  printed,
  startEventServer,
  stopClock,
  until,
} from './event-server.ts';

type Stop = () => void;

let server: EventServer;
let openStream: (terms: {
  readonly onChange: (change: Change) => void;
  readonly onLive: (isLive: boolean) => void;
}) => () => void;
let stop: Stop = () => undefined;
beforeAll(async () => {
  server = await startEventServer();
  // The page's address is read when the module is loaded.
  ({ openStream } = Object(await load('live/stream.ts')));
});
afterEach(async () => {
  stop();
  jest.useRealTimers();
  await until(() => server.open.size === 0);
  server.requests.length = 0;
});
afterAll(() => server.close());

/** What a stream has told since it was opened. */
function follow() {
  const changes: Change[] = [];
  const live: boolean[] = [];
  stop = openStream({
    onChange: (change) => void changes.push(change),
    onLive: (isLive) => {
      if (isLive !== live.at(-1)) live.push(isLive);
    },
  });
  return { changes, live };
}

const START = printed(1, 'start', {});
const EVENTS = [
  START,
  printed(2, 'job', { id: '7', state: 'RUNNING', phase: 'EXECUTING' }),
  ': \n\nevent: book\nid: 3\ndata: {"number":4}\n\n',
  printed(4, 'offer', { id: 'é', state: 'EXPIRED' }),
];
const CHANGES: readonly Change[] = [
  { kind: 'start' },
  { kind: 'job', id: '7', phase: 'EXECUTING' },
  { kind: 'book' },
  { kind: 'offer', id: 'é', state: 'EXPIRED' },
];

describe('the stream of changes', () => {
  test('tells each change once, wherever it is cut', async () => {
    for (let place = 0; place <= EVENTS.join('').length; place += 1) {
      server.answer(cutAt(EVENTS, place));
      const { changes, live } = follow();
      await until(() => changes.length >= CHANGES.length && server.requests.length === 2);
      expect([place, changes, live]).toEqual([place, CHANGES, [true]]);
      stop();
      server.requests.length = 0;
    }
  });

  test('sends the last event back that it has', async () => {
    server.answer(cutAt(EVENTS, EVENTS.slice(0, 2).join('').length + 5));
    const { changes } = follow();
    await until(() => changes.length === CHANGES.length);
    expect(server.requests.map(lastOf)).toEqual([0, 2]);
    expect(server.requests.map(({ url }) => url)).toEqual(['/events', '/events']);
  });

  test('tells what the service repeats, and leaves out what it does not know', async () => {
    const unknown = printed(9, 'weather', {}) + printed(9, 'job', 7) + 'event: job\ndata: {\n\n';
    server.answer((_, response) => void begin(response).write(START + unknown + START));
    const { changes, live } = follow();
    await until(() => changes.length === 2);
    expect([changes, live]).toEqual([[{ kind: 'start' }, { kind: 'start' }], [true]]);
  });

  test.each([401, 403, 404, 500, 503])('asks again 30 s after %i', async (status) => {
    stopClock();
    server.answer((_, response) => void response.writeHead(status).end());
    const { changes, live } = follow();
    await until(() => live.length > 0);
    expect(live).toEqual([false]);
    server.answer((_, response) => void begin(response).write(START));
    jest.advanceTimersByTime(29_000);
    expect(server.requests).toHaveLength(1);
    jest.advanceTimersByTime(1000);
    await until(() => changes.length > 0);
    expect([changes, live]).toEqual([[{ kind: 'start' }], [false, true]]);
  });

  test('is not live 8 s after a cut, unless it comes again', async () => {
    stopClock();
    server.answer((_, response) => void begin(response).write(START));
    const { changes, live } = follow();
    await until(() => changes.length > 0);
    const asked = server.requests.length;
    server.answer((request) => request.destroy());
    for (const response of server.open) response.destroy();
    // Each try of the reader is an error of its own, and counts from the first.
    await until(() => server.requests.length > asked + 1);
    jest.advanceTimersByTime(7000);
    await until(() => server.requests.length > asked + 3);
    expect(live).toEqual([true]);
    jest.advanceTimersByTime(1000);
    expect(live).toEqual([true, false]);
    server.answer((_, response) => void begin(response).write(START));
    await until(() => changes.length > 1);
    expect(live).toEqual([true, false, true]);
  });

  test('is not live where nothing comes for five and a half minutes, and is opened anew', async () => {
    stopClock();
    server.answer((_, response) => void begin(response).write(START));
    const { changes, live } = follow();
    await until(() => changes.length === 1);
    jest.advanceTimersByTime(330_000);
    expect(live).toEqual([true, false]);
    jest.advanceTimersByTime(30_000);
    await until(() => changes.length === 2);
    expect([server.requests.length, live]).toEqual([2, [true, false, true]]);
    await until(() => server.open.size === 1);
  });

  test('ends when it is ended, and is not opened again', async () => {
    stopClock();
    server.answer((_, response) => void begin(response).write(START));
    const { changes, live } = follow();
    await until(() => changes.length > 0);
    stop();
    await until(() => server.open.size === 0);
    jest.advanceTimersByTime(3_600_000);
    expect([server.requests.length, live]).toEqual([1, [true]]);
  });
});
