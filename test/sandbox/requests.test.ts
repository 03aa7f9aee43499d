import { gzipSync } from 'node:zlib';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openFetcher, openSandbox } from '../../src/sandbox/sandbox.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { jobOf } from '../vortex/job.ts';
import { startWebServer } from './web-server.ts';
import type { WebServer } from './web-server.ts';

/** Only a server that never answers takes so long. */
const POLICY = { timeoutMs: 3_000, maxBytes: 10_000, cacheMs: 600_000 };
const open = new Set<{ close: () => unknown }>();
let server: WebServer;
let elsewhere: WebServer;

function redirect(response: ServerResponse, to: string, status = 302): void {
  void response.writeHead(status, { location: to }).end();
}

beforeAll(async () => {
  elsewhere = await startWebServer((_asked, response) => response.end('"secret"'));
  server = await startWebServer(({ path, headers }, response) => {
    const [name = ''] = path.slice(1).split('?');
    const json = (value: unknown): void =>
      void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(value));
    switch (name) {
      case 'query':
        return json({
          results: [
            {
              series: [
                { tags: { host: 'b' }, values: [['t', 5]] },
                { tags: { host: 'a' }, values: [['t', 90]] },
              ],
            },
          ],
        });
      case 'whole':
        return void response.end('{"load": 8.0}');
      case 'slow':
        return undefined;
      case 'large':
        return void response.end('x'.repeat(20_000));
      case 'bomb':
        return void response
          .writeHead(200, { 'content-encoding': 'gzip' })
          .end(gzipSync('x'.repeat(1_000_000)));
      case 'binary':
        return void response.end(Buffer.from([0xff, 0xfe, 0x00, 0xd8]));
      case 'latin':
        return void response
          .writeHead(200, { 'content-type': 'text/plain; charset=iso-8859-1' })
          .end(Buffer.from([0xe9]));
      case 'broken':
        return void response.writeHead(503).end('no');
      case 'moved':
        return redirect(response, '/whole');
      case 'round':
        return redirect(response, '/round');
      case 'away':
        return redirect(response, `${elsewhere.origin}/secret`);
      case 'file':
        return redirect(response, 'file:///etc/passwd');
      case 'who':
        return json({ authorization: headers.authorization ?? null, agent: headers['user-agent'] });
      default:
        return json({ path });
    }
  });
});
afterAll(async () => {
  for (const one of open) await one.close();
  await server.close();
  await elsewhere.close();
});

let shared: Sandbox | undefined;

/**
 * What a piece of Python comes to that may use requests: `out` of a parameter of the destination.
 */
async function outcome(python: string, sandbox?: Sandbox): Promise<unknown> {
  const asked = sandbox ?? (shared ??= openOne(true));
  await asked.load([
    {
      name: 'rules.yml',
      text: `
tools:
  default:
    rules:
    - if: true
      execute: |
        import requests
        BASE = '${server.origin}'
        OTHER = '${elsewhere.origin}'
${python
  .trim()
  .split('\n')
  .map((line) => `        ${line}`)
  .join('\n')}
        entity.params['out'] = str(out).replace('{', '{{').replace('}', '}}')
    params: {}
global: {default_inherits: default}
destinations: {local: {runner: process}}
`,
    },
  ]);
  const decision = await asked.map(jobOf('x'));
  return decision.kind === 'destination' ? decision.chosen.params['out'] : decision;
}

function openOne(isBound: boolean): Sandbox {
  const fetcher = openFetcher({ origins: [server.origin], ...POLICY });
  const sandbox = openSandbox({ decisionMs: 10_000, loadMs: 60_000, ...(isBound && { fetcher }) });
  open.add(sandbox).add(fetcher);
  return sandbox;
}

async function sandboxOf(text: string, isBound = true): Promise<Sandbox> {
  const sandbox = openOne(isBound);
  expect(await sandbox.load([{ name: 'rules.yml', text }])).toMatchObject({ kind: 'loaded' });
  return sandbox;
}

function RANK(): string {
  return `
tools:
  default:
    rank: |
      import requests
      params = {'db': 'pulsar', 'q': 'SELECT last("percent_allocated") from "sinfo" group by "host"'}
      try:
        response = requests.get('${server.origin}/query', auth=('grafana', 'password'), params=params)
        data = response.json()
        used = {s['tags']['host']: s['values'][0][1] for s in data.get('results')[0].get('series', [])}
        candidate_destinations.sort(key=lambda d: (-1 * d.score(entity), used.get(d.id)))
        final_destinations = candidate_destinations
      except Exception:
        final_destinations = helpers.weighted_random_sampling(candidate_destinations)
      final_destinations
global: {default_inherits: default}
destinations: {a: {runner: process}, b: {runner: process}}
`;
}

describe('a site that binds requests', () => {
  test('lets a rank function order destinations by what a metrics server says', async () => {
    const sandbox = await sandboxOf(RANK());
    expect(await sandbox.map(jobOf('x'))).toMatchObject({
      kind: 'destination',
      chosen: { destination: 'b' },
    });
    const { path, headers } = server.asked.at(-1) ?? { path: '', headers: {} };
    expect(path).toBe(
      '/query?db=pulsar&q=SELECT+last%28%22percent_allocated%22%29+from+%22sinfo%22+group+by+%22host%22',
    );
    expect(headers.authorization).toBe(
      `Basic ${Buffer.from('grafana:password').toString('base64')}`,
    );
  });

  test("keeps the server's answer with the decision, which can be repeated without it", async () => {
    const told = await (await sandboxOf(RANK())).consider(jobOf('x'), { seed: 1, now: 0 });
    const answers = 'answers' in told ? told.answers : [];
    expect(answers).toMatchObject([{ kind: 'answered', status: 200 }]);
    const alone = await sandboxOf(RANK(), false);
    expect(await alone.consider(jobOf('x'), { seed: 1, now: 0, answers })).toEqual(told);
  });

  test('asks the server once for many decisions', async () => {
    const sandbox = await sandboxOf(RANK());
    const before = server.asked.length;
    const decisions = await Promise.all(Array.from({ length: 20 }, () => sandbox.map(jobOf('x'))));
    expect(
      decisions.every((one) => one.kind === 'destination' && one.chosen.destination === 'b'),
    ).toBe(true);
    expect(server.asked.length - before).toBe(1);
  });

  test('goes on to decide other jobs while one waits for its answer', async () => {
    const sandbox = await sandboxOf(`
tools:
  slow:
    rules:
    - if: "__import__ is None or True"
      execute: "import requests\\nrequests.get('${server.origin}/slow')"
  quick: {cores: 1}
destinations: {local: {runner: process}}
`);
    const order: string[] = [];
    const slow = sandbox.map(jobOf('slow')).then((answer) => (order.push('slow'), answer));
    const quick = sandbox.map(jobOf('quick')).then(() => order.push('quick'));
    await quick;
    expect(await slow).toMatchObject({ kind: 'error', className: 'ConnectTimeout' });
    expect(order).toEqual(['quick', 'slow']);
  });

  test.each([
    [
      'the response has what metrics code reads',
      "r = requests.get(BASE + '/whole')\n" +
        "out = (r.status_code, r.ok, r.text, r.json(), r.url == BASE + '/whole', bool(r), " +
        'r.elapsed.total_seconds() > 0)',
      "(200, True, '{\"load\": 8.0}', {'load': 8.0}, True, True, True)",
    ],
    [
      'headers are found whatever their case',
      "out = requests.get(BASE + '/query').headers['Content-TYPE']",
      'application/json',
    ],
    [
      'a form is sent as a form',
      "out = requests.post(BASE + '/echo', data={'a': 'b c', 'd': ['1', '2']}).status_code",
      '200',
    ],
    [
      'several requests are made in turn',
      "out = [requests.get(f'{BASE}/echo{i}').json()['path'] for i in range(3)]",
      "['/echo0', '/echo1', '/echo2']",
    ],
    [
      'a session adds its headers and credentials',
      "s = requests.Session()\ns.auth = ('u', 'p')\ns.headers.update({'User-Agent': 'me'})\n" +
        "out = s.get(BASE + '/who').json()",
      "{'authorization': 'Basic dTpw', 'agent': 'me'}",
    ],
    [
      'a redirect within the list is followed',
      "out = requests.get(BASE + '/moved').text",
      '{"load": 8.0}',
    ],
    [
      'a redirect can be looked at',
      "out = requests.get(BASE + '/moved', allow_redirects=False).status_code",
      '302',
    ],
    ['text in another encoding is read', "out = requests.get(BASE + '/latin').text", 'é'],
    [
      'an error of the server is an HTTPError when asked',
      "try:\n    requests.get(BASE + '/broken').raise_for_status()\n" +
        'except requests.HTTPError as e:\n    out = e.response.status_code',
      '503',
    ],
    [
      'text that is no JSON is a ValueError',
      "try:\n    requests.get(BASE + '/broken').json()\nexcept ValueError as e:\n" +
        '    out = isinstance(e, requests.exceptions.JSONDecodeError)',
      'True',
    ],
    [
      'the same number of the seed is drawn on both sides of a request',
      "import random\na = random.random()\nrequests.get(BASE + '/whole')\n" +
        'b = random.random()\nout = a != b and 0 <= a < 1',
      'True',
    ],
    [
      'what came before a request is not done twice',
      "seen = []\nseen.append(1)\nrequests.get(BASE + '/whole')\nseen.append(2)\nout = seen",
      '[1, 2]',
    ],
  ])('%s', async (_, python, expected) => {
    expect(await outcome(python)).toBe(expected);
  });

  test('sends a POST once for a decision, with its JSON', async () => {
    expect(
      await outcome(
        "out = requests.post(BASE + '/post', json={'a': [1, 2.0, None]}).status_code\nrequests.get(BASE + '/after')",
      ),
    ).toBe('200');
    const posts = server.asked.filter(({ path }) => path === '/post');
    expect(posts).toMatchObject([
      {
        method: 'POST',
        body: '{"a": [1, 2.0, null]}',
        headers: { 'content-type': 'application/json' },
      },
    ]);
  });
});

/** The exception of a call, by its class and the nearest class that real code catches. */
function caught(call: string): string {
  return (
    `try:\n    ${call}\n    out = 'nothing'\n` +
    'except requests.exceptions.RequestException as e:\n    out = type(e).__name__'
  );
}

describe('failures are exceptions of requests:', () => {
  test.each([
    ['a server that is not on the list', "requests.get(OTHER + '/')", 'ConnectionError'],
    [
      'another port of a host on the list',
      "requests.get('http://127.0.0.1:1/')",
      'ConnectionError',
    ],
    [
      'another name of a host on the list',
      "requests.get(BASE.replace('127.0.0.1', 'localhost'))",
      'ConnectionError',
    ],
    [
      'the list is not fooled by credentials',
      "requests.get(BASE + '@' + OTHER.removeprefix('http://') + '/')",
      'ConnectionError',
    ],
    ['a redirect away from the list', "requests.get(BASE + '/away')", 'ConnectionError'],
    ['a redirect to a file', "requests.get(BASE + '/file')", 'InvalidSchema'],
    ['a redirect without end', "requests.get(BASE + '/round')", 'TooManyRedirects'],
    ['a file', "requests.get('file:///etc/passwd')", 'InvalidSchema'],
    ['a text that is no URL', "requests.get('metrics')", 'MissingSchema'],
    ['a server that does not answer', "requests.get(BASE + '/slow')", 'ConnectTimeout'],
    [
      'a server that does not answer in the time of the call',
      "requests.get(BASE + '/slow', timeout=0.01)",
      'ConnectTimeout',
    ],
    ['an answer that is too large', "requests.get(BASE + '/large')", 'ChunkedEncodingError'],
    ['an answer that unpacks to too much', "requests.get(BASE + '/bomb')", 'ChunkedEncodingError'],
    ['an answer that is no text', "requests.get(BASE + '/binary')", 'ContentDecodingError'],
    [
      'a header that chooses another server',
      "requests.get(BASE + '/who', headers={'Host': 'internal'})",
      'InvalidHeader',
    ],
    [
      'a header with a line break',
      "requests.get(BASE + '/who', headers={'X': 'a\\\\r\\\\nHost: b'})",
      'InvalidHeader',
    ],
    ['a method that tunnels', "requests.request('CONNECT', BASE)", 'InvalidSchema'],
    [
      'a ninth request of one decision',
      "[requests.get(f'{BASE}/n{i}') for i in range(9)]",
      'ConnectionError',
    ],
  ])('%s', async (_, call, expected) => {
    expect(await outcome(caught(call).replaceAll('\\\\', '\\'))).toBe(expected);
  });

  test('a time below 0, which Python never asks for', async () => {
    const fetcher = openFetcher({ origins: [server.origin], ...POLICY });
    open.add(fetcher);
    const asked = { method: 'GET', url: `${server.origin}/slow`, timeoutMs: -1, auth: null };
    const rest = { params: [], headers: [], body: null, followsRedirects: true };
    expect(await fetcher.fetch({ ...asked, ...rest })).toMatchObject({ error: 'ConnectTimeout' });
  });

  test('no request reached the server that is not on the list', () => {
    expect(elsewhere.asked).toEqual([]);
  });

  test('a site that binds no requests raises ConnectionError, which is an OSError', async () => {
    expect(
      await outcome(
        'try:\n    requests.get(BASE)\nexcept OSError as e:\n    out = type(e).__name__',
        openOne(false),
      ),
    ).toBe('ConnectionError');
  });

  test('no `except` and no `finally` of a rule stops the run from ending at the request', async () => {
    expect(
      await outcome(
        'def f():\n    try:\n        return requests.get(BASE + ' +
          "'/whole').text\n    except BaseException:\n        return 'caught'\n" +
          '    finally:\n        pass\nout = f()',
      ),
    ).toBe('{"load": 8.0}');
    expect(
      await outcome(
        'def f():\n    while True:\n        try:\n' +
          "            return requests.get(BASE + '/whole').text\n        finally:\n" +
          "            break\n    return 'left'\nout = f()",
      ),
    ).toBe('left');
  });
});
