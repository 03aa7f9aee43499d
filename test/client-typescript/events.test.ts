import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { PlannerError, Unreachable, type Change } from '../../clients/typescript/src/index.ts';
import { openEventReader } from '../../clients/typescript/src/streams/events.ts';
import { loses, refuses, scripted, type Step } from './scripted.ts';
import { settle, stopClock, timeOf } from './time.ts';
import { all } from './watched.ts';

const HEADERS = { 'Content-Type': 'text/event-stream; charset=utf-8' };

afterEach(() => {
  jest.useRealTimers();
});

/** A stream of this text, which then ends, stays open or is lost; the next may be asked for at once. */
function streams(text: string, then: 'ends' | 'stays' | 'lost' = 'ends'): Step {
  return ({ signal }) =>
    new Response(
      new ReadableStream({
        start: (controller) => {
          controller.enqueue(bytesOf(`retry: 1\n\n${text}`));
          if (then === 'ends') controller.close();
          if (then === 'lost') setImmediate(() => controller.error(new TypeError('terminated')));
          signal.addEventListener('abort', () => controller.error(signal.reason));
        },
      }),
      { headers: HEADERS },
    );
}

describe('events', () => {
  const WRITTEN =
    '\uFEFF: a comment\nretry: 7\n\nid: é1\ndata: one\n\nevent: job\r\ndata:two\r\ndata:  three\r\n\r\n' +
    'data\rid:2\r\rid: \0bad\nevent: lost\n\nunknown: x\ndata: {"a":":"}\n\ndata: not complete\n';
  const READ = [
    { id: 'é1', event: 'message', data: 'one' },
    { id: 'é1', event: 'job', data: 'two\n three' },
    { id: '2', event: 'message', data: '' },
    { id: '2', event: 'message', data: '{"a":":"}' },
  ];

  test('are the same wherever their bytes are cut', () => {
    const bytes = bytesOf(WRITTEN);
    for (let place = 0; place <= bytes.length; place += 1) {
      const reader = openEventReader();
      const events = [bytes.subarray(0, place), bytes.subarray(place)].flatMap(reader.push);
      expect([place, events, reader.retry()]).toEqual([place, READ, 7]);
    }
    const single = openEventReader();
    expect([...bytes].flatMap((byte) => single.push(Uint8Array.of(byte)))).toEqual(READ);
  });

  test('without an id of their own keep the one before the stream', () => {
    expect(openEventReader('6').push(bytesOf('data: x\n\n'))).toEqual([
      { id: '6', event: 'message', data: 'x' },
    ]);
  });
});

const START = 'event: start\nid: 1\ndata: {}\n\n';
const JOB = 'event: job\nid: 2\ndata: {"id":"7","state":"RUNNING","phase":"EXECUTING"}\n\n';
const IS_JOB: Change = { kind: 'job', id: '7', phase: 'EXECUTING' };

/** Changes until there are so many, and the `Last-Event-ID` of each request. */
async function changesOf(steps: readonly Step[], count: number) {
  const { planner, requests } = scripted(steps, { token: 'ada' });
  const changes: Change[] = [];
  for await (const change of planner.events()) {
    changes.push(change);
    if (changes.length === count) break;
  }
  return { changes, requests, lasts: requests.map(({ headers }) => headers.get('last-event-id')) };
}

describe('changes', () => {
  test('come once, wherever their stream is cut, in order or in the middle', async () => {
    const text = START + JOB;
    for (let place = 0; place <= text.length; place += 1) {
      const whole = START.length <= place ? 1 : 0;
      const rest = streams(place === text.length ? '' : whole === 1 ? JOB : text, 'stays');
      const cut = streams(text.slice(0, place), place % 2 === 0 ? 'ends' : 'lost');
      const { changes } = await changesOf([cut, rest], 2);
      expect([place, changes]).toEqual([place, [{ kind: 'start' }, IS_JOB]]);
    }
  }, 600_000);

  test('go on behind the last one, with the credential', async () => {
    const steps = [streams(START, 'lost'), loses, streams(JOB)];
    const { lasts, requests } = await changesOf(steps, 2);
    expect(lasts).toEqual([null, '1', '1']);
    expect(requests.map(({ headers }) => headers.get('authorization'))).toEqual([
      'Bearer ada',
      'Bearer ada',
      'Bearer ada',
    ]);
  });

  test('that this client does not know are left out', async () => {
    const unknown = 'event: weather\ndata: {}\n\nevent: job\ndata: 7\n\nevent: job\ndata: {\n\n';
    const { changes } = await changesOf([streams(START + unknown + JOB)], 2);
    expect(changes).toEqual([{ kind: 'start' }, IS_JOB]);
  });

  test('are asked for again where nothing comes for 40 s, and not where comments come', async () => {
    stopClock();
    const { planner, requests } = scripted([streams(START, 'stays')]);
    const iterator = planner.events();
    expect((await iterator.next()).value).toEqual({ kind: 'start' });
    const next = iterator.next();
    await settle();
    await jest.advanceTimersByTimeAsync(39_000);
    expect(requests).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(3000);
    await next;
    expect(requests).toHaveLength(2);
    let write: ((text: string) => void) | undefined;
    const open: Step = () =>
      new Response(
        new ReadableStream({
          start: (controller) => {
            write = (text) => controller.enqueue(bytesOf(text));
          },
        }),
        { headers: HEADERS },
      );
    const alive = scripted([open]);
    const told = alive.planner.events().next();
    await settle();
    for (let seconds = 0; seconds < 300; seconds += 15) {
      write?.(': \n\n');
      await settle();
      await jest.advanceTimersByTimeAsync(15_000);
    }
    write?.(START);
    expect((await told).value).toEqual({ kind: 'start' });
    expect(alive.requests).toHaveLength(1);
  });

  test('end with a refusal, or with a service that is away for five minutes', async () => {
    const { planner } = scripted([refuses(403)]);
    await expect(planner.events().next()).rejects.toMatchObject({ status: 403 });
    const page = scripted([
      () => new Response('<html>', { headers: { 'Content-Type': 'text/html' } }),
    ]);
    await expect(page.planner.events().next()).rejects.toMatchObject({ code: 'no-events' });
    stopClock();
    const away = scripted([loses]);
    const told = away.planner
      .events()
      .next()
      .catch((error: unknown) => error);
    await jest.advanceTimersByTimeAsync(299_000);
    const before = away.requests.length;
    // A second, doubled each time, up to half a minute.
    expect(before).toBeGreaterThan(10);
    expect(before).toBeLessThan(18);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(await told).toBeInstanceOf(Unreachable);
    expect(await told).toBeInstanceOf(PlannerError);
  });

  test('end when their user has enough, and close the connection', async () => {
    const stop = new AbortController();
    const { planner, requests } = scripted([streams(START, 'stays')]);
    const listening = all(planner.events({ signal: stop.signal }));
    await settle();
    stop.abort(new Error('enough'));
    await expect(listening).rejects.toThrow('enough');
    expect(requests[0]?.signal.aborted).toBe(true);
  });
});

describe('a log', () => {
  const TEXTS = ['10 %\r', '50 %\r\n\n', 'data: é\n', 'id: 1\r\r', 'end'];
  const EVENTS = TEXTS.map((text, at) => `id: ${at + 1}\ndata: ${JSON.stringify(text)}\n\n`);
  const END = 'event: end\nid: 5\ndata: "COMPLETED"\n\n';
  const LINES = ['10 %\r50 %', '', 'data: é', 'id: 1\r\rend'];

  /** Answers like the service: the rest behind the last event, the first time cut at a place. */
  function serving(place: number): Step {
    const written: string[] = [];
    return (request) => {
      const last = Number(request.headers.get('last-event-id') ?? 0);
      const rest = [...EVENTS.slice(last), END].join('');
      written.push(rest);
      const text = written.length === 1 ? rest.slice(0, place) : rest;
      return streams(text, place % 2 === 0 ? 'lost' : 'ends')(request);
    };
  }

  test('has each line once, wherever its stream is cut', async () => {
    const { length } = [...EVENTS, END].join('');
    for (let place = 0; place <= length; place += 1) {
      const { planner, requests } = scripted([serving(place)]);
      expect([place, await all(planner.job('7').follow())]).toEqual([place, LINES]);
      expect(requests[0]?.url).toMatch(/\/jobs\/7\/results\/stdout\?EVENTS=json$/);
    }
  }, 600_000);

  test('has line ends and carriage returns as the job wrote them, if they are wanted', async () => {
    const { planner } = scripted([serving(0)]);
    expect((await all(planner.job('7').followText())).join('')).toBe(TEXTS.join(''));
  });

  test('has a line of forty megabytes, as of a progress bar, without copying it each time', async () => {
    const piece = `data: ${JSON.stringify(`${'x'.repeat(999)}\r`)}\n\n`;
    const { planner } = scripted([streams(piece.repeat(40_000) + END)]);
    const lines = await all(planner.job('7').follow());
    expect(lines.map(({ length }) => length)).toEqual([40_000_000]);
  });

  test('that is not there yet is asked for again, also where the job cannot be read', async () => {
    stopClock();
    const job: Step = () => Response.json({ phase: 'QUEUED', startTime: null, results: [] });
    const steps = [refuses(404), job, refuses(404), loses, refuses(404), job, serving(99)];
    const { planner } = scripted(steps, { retries: 0 });
    const following = all(planner.job('7').follow());
    await timeOf(following);
    expect(await following).toEqual(LINES);
  });

  test('that is known to its end is over', async () => {
    const steps = [streams(EVENTS.join('')), () => new Response(null, { status: 204 })];
    const { planner } = scripted(steps);
    expect(await all(planner.job('7').follow())).toEqual(LINES);
  });
});

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(new TextEncoder().encode(text));
}
