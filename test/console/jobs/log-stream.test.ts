import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { EventServer } from '../live/event-server.ts';
import {
  begin,
  cutAt,
  lastOf,
  load,
  startEventServer,
  stopClock,
  until,
} from '../live/event-server.ts';

type Stop = () => void;

let server: EventServer;
let followLog: (terms: {
  readonly place: string;
  readonly size: number | undefined;
  readonly onText: (text: string) => void;
  readonly onEmpty: () => void;
  readonly onStart: () => void;
  readonly onTrouble: () => void;
}) => () => void;
let stop: Stop = () => undefined;
beforeAll(async () => {
  server = await startEventServer();
  ({ followLog } = Object(await load('jobs/log-stream.ts')));
});
afterEach(async () => {
  stop();
  jest.useRealTimers();
  await until(() => server.open.size === 0);
  server.requests.length = 0;
});
afterAll(() => server.close());

/** What the page shows of a log, and how often it was said to be empty, or to begin. */
function follow(size?: number) {
  const seen = { text: '', empty: 0, starts: 0, troubles: 0 };
  const terms = {
    place: `${server.url}/jobs/7/results/stdout`,
    size,
    onText: (text: string) => void (seen.text += text),
    onEmpty: () => void (seen.empty += 1),
    onStart: () => {
      seen.text = '';
      seen.starts += 1;
    },
    onTrouble: () => void (seen.troubles += 1),
  };
  stop = followLog(terms);
  return seen;
}

/** Waits, while the clock of the code under test goes on. */
function untilThen(holds: () => boolean): Promise<void> {
  return until(() => {
    jest.advanceTimersByTime(50);
    return holds();
  });
}

/** Requests of the stream, and not of the log itself. */
function streams() {
  return server.requests.filter(({ url }) => url?.endsWith('?EVENTS=json'));
}

function printed(id: number, text: string): string {
  return `id: ${id}\ndata: ${JSON.stringify(text)}\n\n`;
}

/** With carriage returns, empty lines, and lines that look like those of events. */
const TEXTS = ['10 %\r', '50 %\r\n\n', 'data: é\n', 'id: 1\r\r', 'event: end\n'];
const WHOLE = TEXTS.join('');
const EVENTS = TEXTS.map((text, index) => printed(index + 1, text));
const END = 'event: end\ndata: \n\n';

describe('a log that is written now', () => {
  test('is shown once and whole, wherever its stream is cut', async () => {
    for (let place = 0; place <= EVENTS.join('').length; place += 1) {
      server.answer(cutAt(EVENTS, place));
      const seen = follow();
      await until(() => seen.text.length >= WHOLE.length && server.requests.length === 2);
      expect([place, seen.text, seen.starts]).toEqual([place, WHOLE, 1]);
      stop();
      server.requests.length = 0;
    }
  });

  test('goes on behind what the page has, and is not asked for after its end', async () => {
    stopClock();
    const place = EVENTS.slice(0, 3).join('').length + 4;
    server.answer(cutAt([...EVENTS, END], place));
    const seen = follow();
    await untilThen(() => server.requests.length === 2 && server.open.size === 0);
    expect(server.requests.map(lastOf)).toEqual([0, 3]);
    await jest.advanceTimersByTimeAsync(60_000);
    expect([seen.text, server.requests.length]).toEqual([WHOLE, 2]);
  });

  test.each([204, 404, 503])(
    'is empty where it is answered by %i, and asked for again',
    async (status) => {
      stopClock();
      server.answer((_, response) => void response.writeHead(status).end());
      const seen = follow();
      await until(() => seen.empty > 0);
      // The next try is a second later, and not sooner.
      await jest.advanceTimersByTimeAsync(900);
      expect([streams().length, seen.text, seen.troubles]).toEqual([1, '', 0]);
      server.answer((_, response) => void begin(response).write(EVENTS.join('')));
      await jest.advanceTimersByTimeAsync(400);
      await until(() => seen.text !== '');
      expect([seen.text, seen.starts, streams().length]).toEqual([WHOLE, 1, 2]);
    },
  );

  test('goes on behind what the page has after a refusal, so nothing is there twice', async () => {
    stopClock();
    server.answer((_, response) => {
      if (server.requests.length === 1) begin(response).end(EVENTS.slice(0, 2).join(''));
      else response.writeHead(503).end();
    });
    const seen = follow();
    await untilThen(() => server.requests.length === 2 && server.open.size === 0);
    server.answer((request, response) => {
      begin(response).write(EVENTS.slice(lastOf(request)).join(''));
    });
    await untilThen(() => seen.text.length >= WHOLE.length);
    expect([seen.text, seen.starts]).toEqual([WHOLE, 1]);
    expect(streams().map(lastOf).slice(0, 3)).toEqual([0, 2, 2]);
  });

  test.each([401, 403])('is not asked for again after %i', async (status) => {
    stopClock();
    server.answer((_, response) => void response.writeHead(status).end());
    const seen = follow();
    await until(() => seen.troubles > 0);
    await jest.advanceTimersByTimeAsync(60_000);
    expect([streams().length, seen.troubles, seen.empty]).toEqual([1, 1, 0]);
  });

  test('is empty while a stream is open that has nothing', async () => {
    server.answer((_, response) => void begin(response));
    const seen = follow();
    await until(() => seen.empty === 1);
    expect([seen.text, seen.starts]).toEqual(['', 1]);
  });
});

describe('a log that is complete', () => {
  const LARGE = 2_000_100;

  test('is read whole', async () => {
    server.answer((_, response) => void response.end('one\r\ntwo\n'));
    const seen = follow(9);
    await until(() => seen.text !== '');
    expect(seen).toMatchObject({ text: 'one\r\ntwo\n', starts: 1, empty: 0 });
    expect(server.requests.map(({ url, headers }) => [url, headers.range])).toEqual([
      ['/jobs/7/results/stdout', undefined],
    ]);
  });

  test('is read from the first whole line of its last bytes', async () => {
    server.answer((_, response) => void response.writeHead(206).end('f a line\nnext\n'));
    const seen = follow(LARGE);
    await until(() => seen.text !== '');
    expect([seen.text, server.requests[0]?.headers.range]).toEqual(['next\n', 'bytes=100-']);
  });

  test('and empty is not asked for', () => {
    expect(follow(0)).toMatchObject({ empty: 1, text: '' });
    expect(server.requests).toEqual([]);
  });
});
