import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sendRaw } from '../../harness/raw.ts';
import { startTestService, type TestService } from '../../harness/service.ts';

const PORTAL = 'https://portal.example.org';
const SITE = {
  rules: ['rules.yml'],
  destinations: {
    a: {
      runner: 'process',
      'task-types': ['executable'],
      cores: 64,
      memory: '800GiB',
      scratch: '8TiB',
    },
  },
};
const WITH_PORTAL = { ...SITE, http: { 'allow-origins': [PORTAL, 'http://127.0.0.1:3000'] } };
const RULES = { destinations: { a: { runner: 'process' } } };
const ASK =
  '{"task": {"type": "https://www.purl.org/ivoa-net/task-type/executable", "spec": {"command": ["sort"]}}}';

let service: TestService;
type Sent = {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

function ask(headers: Readonly<Record<string, string>>): Promise<Response> {
  return send({
    headers: { 'Content-Type': 'application/json', Accept: 'application/json', ...headers },
    body: ASK,
  });
}

function send({ method = 'POST', path = '/request', headers = {}, body }: Sent): Promise<Response> {
  return fetch(`${service.url}${path}`, {
    method,
    headers,
    redirect: 'manual',
    ...(body !== undefined && { body }),
  });
}

async function codeOf(response: Response): Promise<string> {
  return /(?:"code":"|^)([\w-]+)/.exec(await response.text())?.[1] ?? '';
}

/**
 * One of every kind of change. No job or offer has these ids, and no request gets far enough to
 * notice.
 */
const CHANGES: readonly Sent[] = [
  { path: '/request', body: ASK, headers: { 'Content-Type': 'application/json' } },
  { path: '/request', body: ASK, headers: { 'Content-Type': 'text/plain' } },
  { path: '/request?dry-run=true', body: ASK, headers: { 'Content-Type': 'application/yaml' } },
  {
    path: '/offers/x',
    body: 'offer: { status: ACCEPTED }',
    headers: { 'Content-Type': 'application/yaml' },
  },
  {
    path: '/jobs',
    body: 'OFFER=x&PHASE=RUN',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  },
  { path: '/jobs', body: ASK, headers: { 'Content-Type': 'application/json' } },
  { path: '/async?OFFER=x' },
  {
    path: '/jobs/x',
    body: 'ACTION=DELETE',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  },
  {
    path: '/jobs/x/phase',
    body: 'PHASE=ABORT',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  },
  { path: '/jobs/x/parameters/p', method: 'PUT', body: '1' },
  { path: '/jobs/x', method: 'DELETE' },
];

describe('pages and a service without portals', () => {
  beforeAll(async () => {
    service = await startTestService(SITE, RULES, {
      publicUrl: 'https://planner.example.org/below',
      hosts: ['planner.lan'],
    });
  });
  afterAll(() => service.close());

  test.each([
    'null',
    'https://evil.example',
    'http://127.0.0.1:1',
    'http://localhost:8080',
    'http://0.0.0.0:8080',
    'https://planner.example.org:444',
    'http://planner.example.org',
    'file://',
    '',
    'x y',
  ])('a page of the origin %j changes nothing: 403', async (origin) => {
    for (const change of CHANGES) {
      const answer = await send({
        ...change,
        headers: { ...change.headers, Accept: 'application/json', Origin: origin },
      });
      expect([answer.status, await codeOf(answer)]).toEqual([403, 'cross-site-request']);
    }
  });

  test.each(['cross-site', 'same-site'])(
    'a page that sends nothing but Sec-Fetch-Site: %s changes nothing',
    async (site) => {
      for (const change of CHANGES)
        expect(
          (await send({ ...change, headers: { ...change.headers, 'Sec-Fetch-Site': site } }))
            .status,
        ).toBe(403);
    },
  );

  test('a page of its own may, at the address of the request and at PUBLIC_URL', async () => {
    expect((await ask({ Origin: service.url, 'Sec-Fetch-Site': 'same-origin' })).status).toBe(200);
    expect((await ask({ Origin: service.url })).status).toBe(200);
    expect((await ask({ Origin: 'https://planner.example.org' })).status).toBe(200);
    expect((await ask({ 'Sec-Fetch-Site': 'none' })).status).toBe(200);
  });

  test('a page of its own origin to which a foreign page navigated may not', async () => {
    expect((await ask({ Origin: service.url, 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
  });

  test('clients that are no browsers send neither header, and are served', async () => {
    expect((await ask({})).status).toBe(200);
  });

  test('a foreign page cannot load what acts as the user; it can link to it', async () => {
    for (const path of ['/calendar', '/offers/x', '/asks/x/explain', '/offers/x/explain']) {
      // `fetch` has a Sec-Fetch-Mode of its own.
      const load = async (...headers: readonly string[]): Promise<number> =>
        (
          await sendRaw(service.url, [
            `GET ${path} HTTP/1.1`,
            `Host: ${new URL(service.url).host}`,
            ...headers,
          ])
        ).status;
      expect(await load('Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: no-cors')).toBe(403);
      expect(await load('Origin: https://evil.example')).toBe(403);
      expect(await load('Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate')).not.toBe(403);
      expect(await load('Sec-Fetch-Site: same-origin', 'Sec-Fetch-Mode: cors')).not.toBe(403);
    }
  });

  test('foreign scripts read nothing, and their preflights are refused', async () => {
    for (const path of ['/jobs', '/livez', '/openapi.json']) {
      const { headers } = await send({ method: 'GET', path, headers: { Origin: PORTAL } });
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
    const preflight = await send({
      method: 'OPTIONS',
      headers: { Origin: PORTAL, 'Access-Control-Request-Method': 'POST' },
    });
    expect(
      [...preflight.headers.keys()].filter((name) => name.startsWith('access-control')),
    ).toEqual([]);
  });
});

describe('pages and a service with portals (http.allow-origins)', () => {
  beforeAll(async () => {
    service = await startTestService({ ...WITH_PORTAL, identity: { anonymous: false } }, RULES);
  });
  afterAll(() => service.close());

  test('preflights of a portal are answered before anybody asks for a credential', async () => {
    for (const path of ['/request', '/jobs', '/jobs/x/phase']) {
      const { status, headers } = await send({
        method: 'OPTIONS',
        path,
        headers: {
          Origin: PORTAL,
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'authorization,content-type',
        },
      });
      expect([status, headers.get('access-control-allow-origin')]).toEqual([204, PORTAL]);
      expect(headers.get('access-control-allow-methods')).toContain('DELETE');
      expect(headers.get('access-control-allow-headers')).toMatch(/Authorization.*Content-Type/);
      expect(headers.get('access-control-allow-headers')).toMatch(/If-None-Match.*Last-Event-ID/);
      expect(headers.get('access-control-allow-credentials')).toBeNull();
      expect(headers.get('vary')).toContain('Origin');
    }
  });

  test("a portal reads every answer, errors too, without the browser's stored credentials", async () => {
    const mode = { Origin: PORTAL, 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'cors' };
    for (const [method, path, more] of [
      ['POST', '/request', {}],
      ['POST', '/request', { 'If-Match': '"x"' }],
      ['GET', '/jobs', {}],
      ['GET', '/jobs/%00', {}],
      ['GET', '/calendar', {}],
      ['GET', '/livez', {}],
    ] as const) {
      const { headers } = await send({ method, path, headers: { ...mode, ...more } });
      expect(headers.get('access-control-allow-origin')).toBe(PORTAL);
      expect(headers.get('access-control-expose-headers')).toMatch(/ETag.*Location/);
      expect(headers.get('vary')).toContain('Origin');
      expect(headers.get('access-control-allow-credentials')).toBeNull();
    }
  });

  test('a portal must authenticate like any client', async () => {
    expect((await ask({ Origin: PORTAL, 'Sec-Fetch-Site': 'cross-site' })).status).toBe(401);
    expect(
      (await send({ path: '/jobs', headers: { Origin: PORTAL, 'Sec-Fetch-Site': 'cross-site' } }))
        .status,
    ).toBe(401);
  });

  test('OPTIONS of others tells the methods of the route', async () => {
    const { status, headers } = await send({
      method: 'OPTIONS',
      path: '/site',
      headers: { Origin: 'https://other.example.org' },
    });
    expect([status, headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  test.each([
    'https://portal.example.org.evil.example',
    'https://portal.example.org:444',
    'http://portal.example.org',
    'https://PORTAL.example.org',
    'null',
    `${PORTAL}, https://evil.example`,
  ])('nobody else is a portal: %s', async (origin) => {
    const { status, headers } = await ask({ Origin: origin });
    expect([status, headers.get('access-control-allow-origin')]).toEqual([403, null]);
    const preflight = await send({
      method: 'OPTIONS',
      headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
  });
});
