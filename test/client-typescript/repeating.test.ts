import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import {
  openPlanner,
  PlannerError,
  Unreachable,
  type Ask,
} from '../../clients/typescript/src/index.ts';
import { answers, breaksOff, hangs, loses, refuses, scripted, type Step } from './scripted.ts';
import { stopClock, timeOf } from './time.ts';

const ASK: Ask = { task: { type: 'x', spec: {} } };
const NO = answers({
  response: {
    result: 'NO',
    ident: '7',
    explain: 'https://planner.example.org/asks/7/explain',
    reasons: [{ code: 'above-capacity', path: 'task', text: 'Too much.' }],
  },
});
const ME = answers({
  me: { identity: { type: 'anonymous' }, roles: [], administrator: false, quotas: [] },
});
const OFFER = answers({ offer: { ident: '7' } });

beforeEach(stopClock);
afterEach(() => {
  jest.useRealTimers();
});

describe('an ask', () => {
  test.each([
    ['a lost connection', loses],
    ['an answer that breaks off', breaksOff],
    ...[429, 502, 503, 504].map((status): [string, Step] => [`${status}`, refuses(status)]),
  ])('is sent again after %s, with the same key and body', async (_, fails) => {
    const { planner, requests } = scripted([fails, fails, NO]);
    const asking = planner.ask(ASK);
    const ms = await timeOf(asking);
    expect((await asking).result).toBe('NO');
    const keys = new Set(requests.map(({ headers }) => headers.get('idempotency-key')));
    expect([requests.length, keys.size]).toEqual([3, 1]);
    expect([...keys][0]).toMatch(/^[0-9a-f]{32}$/);
    expect(await Promise.all(requests.map((request) => request.json()))).toEqual([ASK, ASK, ASK]);
    // Half a second and a second, of which up to a half is left out.
    expect(ms).toBeGreaterThanOrEqual(750);
    expect(ms).toBeLessThanOrEqual(1530);
  });

  test('outlives a service that is started anew behind a proxy', async () => {
    const until = performance.now() + 15_000;
    const { planner, requests } = scripted([
      (request) => (performance.now() < until ? refuses(502)(request) : NO(request)),
    ]);
    const asking = planner.ask(ASK);
    await timeOf(asking);
    expect((await asking).result).toBe('NO');
    expect(new Set(requests.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1);
  });

  test('ends at a service that stays busy for half a minute, and its last refusal is told', async () => {
    const { planner, requests } = scripted([refuses(503, { 'X-Request-Id': 'r-1' })]);
    const asking = planner.ask(ASK).catch((error: unknown) => error);
    const ms = await timeOf(asking);
    expect(ms).toBeGreaterThanOrEqual(30_000);
    expect(ms).toBeLessThan(63_000);
    expect(await asking).toBeInstanceOf(PlannerError);
    expect(await asking).toMatchObject({
      status: 503,
      code: 'some-code',
      detail: 'Not now.',
      requestId: 'r-1',
    });
    expect(requests.length).toBeLessThan(10);
    const away = scripted([loses], { retries: 1 });
    const other = away.planner.ask(ASK).catch((error: unknown) => error);
    await timeOf(other);
    expect(await other).toBeInstanceOf(Unreachable);
    expect(await other).toHaveProperty('cause', new TypeError('fetch failed'));
    expect(away.requests).toHaveLength(2);
  });

  test('is sent once where its user wants no retries', async () => {
    for (const step of [refuses(503), loses]) {
      const { planner, requests } = scripted([step], { retries: 0 });
      await expect(planner.ask(ASK)).rejects.toBeInstanceOf(PlannerError);
      expect(requests).toHaveLength(1);
    }
  });

  test.each([
    ['seconds', { 'Retry-After': '7' }],
    [
      'a time, by the clock of the service',
      { 'Retry-After': 'Mon, 01 Jan 2001 00:00:07 GMT', Date: 'Mon, 01 Jan 2001 00:00:00 GMT' },
    ],
  ])('waits as long as the service wants, in %s', async (_, headers) => {
    const { planner } = scripted([refuses(429, headers), NO]);
    expect(await timeOf(planner.ask(ASK))).toBe(7000);
  });

  test('leaves it to its user to wait for longer than a minute', async () => {
    const { planner, requests } = scripted([refuses(503, { 'Retry-After': '61' })]);
    const asking = planner.ask(ASK).catch((error: unknown) => error);
    expect(await timeOf(asking)).toBe(0);
    expect(await asking).toMatchObject({ retryAfter: 61 });
    expect(requests).toHaveLength(1);
  });

  test.each([400, 401, 403, 413, 422, 500])('is not sent again after %i', async (status) => {
    const { planner, requests } = scripted([refuses(status)]);
    await expect(planner.ask(ASK)).rejects.toMatchObject({ status });
    expect(requests).toHaveLength(1);
  });

  test('ends when its user has enough, in a pause as in a request', async () => {
    for (const step of [refuses(503), hangs]) {
      const stop = new AbortController();
      const { planner, requests } = scripted([step]);
      const asking = planner.ask(ASK, { signal: stop.signal }).catch((error: unknown) => error);
      await jest.advanceTimersByTimeAsync(100);
      stop.abort(new Error('enough'));
      expect(await asking).toEqual(new Error('enough'));
      expect(requests).toHaveLength(1);
    }
  });

  test('that is not answered within its time is sent again', async () => {
    const { planner, requests } = scripted([hangs, NO], { timeout: 2000 });
    const ms = await timeOf(planner.ask(ASK));
    expect(ms).toBeGreaterThanOrEqual(2250);
    expect(ms).toBeLessThanOrEqual(2510);
    expect(requests).toHaveLength(2);
  });
});

describe('other requests', () => {
  test('an acceptance is sent again with its key', async () => {
    const { planner, requests } = scripted([loses, OFFER]);
    const accepting = planner.accept('7', { key: 'own' });
    await timeOf(accepting);
    expect((await accepting).id).toBe('7');
    expect(requests.map(({ headers }) => headers.get('idempotency-key'))).toEqual(['own', 'own']);
  });

  test('reading is sent again, three times at most', async () => {
    const { planner, requests } = scripted([loses, refuses(502), ME]);
    await timeOf(planner.me());
    expect(requests).toHaveLength(3);
    const busy = scripted([refuses(503)]);
    await timeOf(busy.planner.me().catch(() => undefined));
    expect(busy.requests).toHaveLength(4);
  });

  test('are sent again in no tight loop, where the service wants them at once', async () => {
    const { planner } = scripted([refuses(503, { 'Retry-After': '0' }), ME]);
    expect(await timeOf(planner.me())).toBeGreaterThanOrEqual(250);
  });

  test('changes without a key are sent once', async () => {
    const { planner, requests } = scripted([loses]);
    const job = planner.job('7');
    const changes = [
      planner.reject('7'),
      job.abort(),
      job.delete(),
      job.keepUntil(new Date()),
      planner.admin.drain('here', 'why'),
      planner.admin.undrain('here'),
    ];
    for (const change of changes) await expect(change).rejects.toBeInstanceOf(Unreachable);
    expect(requests).toHaveLength(changes.length);
  });
});

describe('the credential', () => {
  test.each([
    [{ token: 'one' }, 'Bearer one'],
    [{ token: async () => 'two' }, 'Bearer two'],
    [{ password: { user: 'ada', password: 'é' } }, 'Basic YWRhOsOp'],
  ])('is sent with each request', async (options, expected) => {
    const { planner, requests } = scripted([ME], options);
    await planner.me();
    await planner.me();
    expect(requests.map(({ headers }) => headers.get('authorization'))).toEqual([
      expected,
      expected,
    ]);
    expect(requests[0]?.url).toBe('https://planner.example.org/below/me');
  });

  test('goes to no other origin', async () => {
    const { planner, requests } = scripted([ME], { token: 'secret' });
    await planner.api.GET('/me', { baseUrl: 'https://elsewhere.example.org' });
    expect(requests.map(({ headers }) => headers.get('authorization'))).toEqual([null]);
  });

  test('is not carried to where a redirect leads', async () => {
    jest.useRealTimers();
    const asked: (string | undefined)[] = [];
    const server = createServer(({ url }, response) => {
      asked.push(url);
      response.writeHead(302, { Location: '/sign-in' }).end();
    });
    await new Promise<void>((done) => {
      server.listen(0, '127.0.0.1', done);
    });
    const { port } = Object(server.address());
    const planner = openPlanner(`http://127.0.0.1:${port}`, { token: 'secret' });
    await expect(planner.me()).rejects.toMatchObject({ code: 'redirected', status: 302 });
    await expect(planner.job('7').abort()).rejects.toMatchObject({ code: 'redirected' });
    await expect(planner.job('7').results()).rejects.toMatchObject({ code: 'redirected' });
    expect(asked).toEqual(['/me', '/jobs/7/phase', '/jobs/7']);
    server.close();
  });
});

test('a service of another version is told once', async () => {
  const sentences: string[] = [];
  const warn = (sentence: string): void => void sentences.push(sentence);
  const { planner } = scripted([answers({ me: {} }, { 'API-Version': '0.2.0' })], { warn });
  await planner.me();
  await planner.me();
  expect(sentences).toEqual([
    'The service has version 0.2.0, which is newer than this client (0.1.0): ' +
      'it may say what this client does not know.',
  ]);
});

describe('what is no answer of a service', () => {
  const failure = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => undefined,
      (error: unknown) => error,
    );

  test('says why none came', async () => {
    const cause = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
    const { planner } = scripted([() => Promise.reject(cause)], { retries: 0 });
    expect(await failure(planner.site())).toMatchObject({
      name: 'Unreachable',
      message: 'unreachable: fetch failed: connect ECONNREFUSED',
    });
  });

  test('is a page to sign in, which is told as that', async () => {
    const page: Step = () => new Response('<html>', { headers: { 'Content-Type': 'text/html' } });
    const { planner } = scripted([page]);
    expect(await failure(planner.site())).toMatchObject({
      name: 'PlannerError',
      code: 'not-a-planner',
    });
  });

  test.each([
    ['nothing', () => new Response()],
    ['null', answers(null)],
    ['a list', answers([1])],
    ['a document without it', answers({ ok: true })],
    ['a document with another thing in its place', answers({ site: 1, response: 'ok', me: null })],
  ])('is what another service answers: %s', async (_, step: Step) => {
    const { planner } = scripted([step]);
    const job = planner.job('7');
    const calls = [
      planner.ask(ASK),
      planner.check(ASK),
      planner.accept('7'),
      planner.reject('7'),
      planner.offer('7'),
      planner.offers().next(),
      planner.asks().next(),
      planner.asked('7'),
      planner.jobs().next(),
      planner.calendar(),
      planner.explain('7'),
      planner.me(),
      planner.site(),
      planner.environments(),
      job.read(),
      job.wait(),
      job.abort(),
      job.delete(),
      job.keepUntil(new Date()),
      job.results(),
      planner.admin.overview(),
      planner.admin.drain('a', 'x'),
      planner.admin.undrain('a'),
      planner.admin.audit(),
    ];
    for (const call of calls)
      expect(await failure(call)).toMatchObject({
        name: 'PlannerError',
        code: 'not-a-planner',
        status: 200,
      });
  });

  test('is a mistake of the caller, which is thrown as it is', async () => {
    const closed = new Error('the vault is closed');
    const token = (): never => {
      throw closed;
    };
    const { planner, requests } = scripted([ME], { retries: 0, token });
    expect(await failure(planner.me())).toBe(closed);
    const huge: Ask = { task: { type: 'x', spec: { number: 1n } } };
    expect(await failure(planner.ask(huge))).toHaveProperty('name', 'TypeError');
    expect(requests).toHaveLength(0);
  });
});
