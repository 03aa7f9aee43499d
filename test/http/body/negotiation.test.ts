import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestService, type TestService } from '../../harness/service.ts';
import { serveTests } from '../../harness/serve.ts';

const ASK = JSON.stringify({
  task: { type: 'https://www.purl.org/ivoa-net/task-type/executable', spec: { command: ['true'] } },
});

const service = serveTests(
  {
    rules: ['rules.yml'],
    identity: { anonymous: false, tokens: [] },
    destinations: {
      a: {
        runner: 'process',
        'task-types': ['executable'],
        cores: 1000,
        memory: '64TiB',
        scratch: '64TiB',
      },
    },
  },
  { destinations: { a: { runner: 'process' } } },
);

async function send(
  path: string,
  init: RequestInit = {},
): Promise<{
  readonly status: number;
  readonly type: string | undefined;
  readonly headers: Headers;
  readonly text: string;
}> {
  const response = await fetch(service.url + path, { redirect: 'manual', ...init });
  return {
    status: response.status,
    type: response.headers.get('content-type')?.split(';')[0],
    headers: response.headers,
    text: await response.text(),
  };
}

describe('OPTIONS', () => {
  test.each([
    ['/request', 'OPTIONS, POST'],
    ['/offers/any', 'GET, HEAD, OPTIONS, POST'],
    ['/calendar', 'GET, HEAD, OPTIONS'],
    ['/openapi.yaml', 'GET, HEAD, OPTIONS'],
    ['/jobs', 'GET, HEAD, OPTIONS, POST'],
    ['/async/', 'GET, HEAD, OPTIONS, POST'],
    ['/jobs/any', 'DELETE, GET, HEAD, OPTIONS, POST'],
    ['/async/any/parameters/x', 'GET, HEAD, OPTIONS, PUT'],
    ['/jobs/any/phase', 'GET, HEAD, OPTIONS, POST'],
  ])('of %s is 204 with the methods that are there, whoever asks', async (path, allow) => {
    const { status, headers, text } = await send(path, { method: 'OPTIONS' });
    expect([status, headers.get('allow'), text]).toEqual([204, allow, '']);
  });
});

describe('an answer', () => {
  let open: TestService;
  beforeAll(async () => {
    open = await startTestService(
      {
        rules: ['rules.yml'],
        destinations: {
          a: {
            runner: 'process',
            'task-types': ['executable'],
            cores: 1000,
            memory: '64TiB',
            scratch: '64TiB',
          },
        },
      },
      { destinations: { a: { runner: 'process' } } },
    );
  });
  afterAll(() => open.close());

  const post = async (
    accept: string | undefined,
    type = 'application/json',
    path = '/request',
    headers: Record<string, string> = {},
  ): Promise<readonly [number, string | undefined, string, Headers]> => {
    const response = await fetch(open.url + path, {
      method: 'POST',
      body: ASK,
      redirect: 'manual',
      headers: {
        'Content-Type': type,
        ...(accept === undefined ? {} : { Accept: accept }),
        ...headers,
      },
    });
    return [
      response.status,
      response.headers.get('content-type')?.split(';')[0],
      await response.text(),
      response.headers,
    ];
  };

  test('with 405 names the methods of OPTIONS, and OPTIONS of an unknown place is 404', async () => {
    for (const path of [
      '/request',
      '/offers/any',
      '/livez',
      '/jobs',
      '/jobs/any',
      '/jobs/any/quote',
      '/jobs/any/parameters/x',
    ]) {
      const [refused, told] = await Promise.all(
        ['PATCH', 'OPTIONS'].map((method) => fetch(open.url + path, { method })),
      );
      expect([path, refused?.status, refused?.headers.get('allow')]).toEqual([
        path,
        405,
        told?.headers.get('allow'),
      ]);
    }
    for (const path of ['/nothing', '/jobs/a/b/c/d'])
      expect((await fetch(open.url + path, { method: 'OPTIONS' })).status).toBe(404);
  });

  test.each([
    ['*/*', 'yaml'],
    ['application/*', 'yaml'],
    ['application/json', 'json'],
    ['application/yaml', 'yaml'],
    ['text/yaml', 'yaml'],
    ['application/json, application/yaml', 'yaml'],
    ['application/json;q=0.9, application/yaml;q=0.5', 'json'],
    ['application/yaml;q=0.1, application/json;q=0.2', 'json'],
    ['application/json;q=0.5, application/yaml;q=0.5', 'yaml'],
    ['application/json, */*;q=0.1', 'json'],
    ['text/html, image/gif, image/jpeg, */*; q=0.2', 'yaml'],
    ['application/yaml;q=0, */*', 'json'],
    ['application/problem+json', 'json'],
    ['application/xml', 'xml'],
    ['text/xml', 'xml'],
    ['application/problem+xml', 'xml'],
    ['application/xml, application/json', 'xml'],
    ['application/xml, application/yaml', 'yaml'],
    ['application/xml;q=0.8, application/yaml;q=0.5, */*;q=0.1', 'xml'],
    ['application/xml;q=0, */*', 'yaml'],
    ['application/json; charset=utf-8', 'json'],
    ['text/xml;charset="UTF-8"', 'xml'],
    ['application/json; charset=utf-8;q=0.9, */*;q=0.1', 'json'],
  ])('to %s is %s', async (accept, kind) => {
    expect((await post(accept)).slice(0, 2)).toEqual([200, `application/${kind}`]);
  });

  test.each(['image/png', 'text/html', 'application/yaml;q=0, application/json;q=0'])(
    'of an impossible type is 406, lists the types, and decides nothing: %s',
    async (accept) => {
      const before = await open.db.database.ask.count();
      const [status, type, text] = await post(accept);
      expect([status, type, text]).toEqual([
        406,
        'application/problem+yaml',
        expect.stringMatching(
          /not-acceptable[^]*application\/yaml, application\/json, application\/xml/,
        ),
      ]);
      expect(await open.db.database.ask.count()).toBe(before);
      // Browsers that follow a link to an offer get its screen.
      const offers = accept === 'text/html' ? 303 : 406;
      for (const [path, expected] of [
        ['/calendar', 406],
        ['/offers/any', offers],
      ] as const) {
        const { status: found } = await fetch(open.url + path, {
          headers: { accept },
          redirect: 'manual',
        });
        expect([path, found]).toEqual([path, expected]);
      }
    },
  );

  test('is plain text for explanations only', async () => {
    const {
      response: { explain },
    } = JSON.parse((await post('application/json'))[2]);
    const typeOf = async (accept: string): Promise<string | null> =>
      (await fetch(explain, { headers: { accept } })).headers.get('content-type');
    expect(await typeOf('text/plain')).toMatch(/^text\/plain/);
    expect(await typeOf('text/plain;q=0.5, application/json')).toMatch(/^application\/json/);
    expect(await typeOf('application/json;q=0.5, text/plain')).toMatch(/^text\/plain/);
    expect(await typeOf('*/*')).toMatch(/^application\/yaml/);
    expect(await typeOf('image/png')).toMatch(/^application\/problem\+yaml/);
  });

  test('to a body of another type or encoding is 415 and lists what is taken', async () => {
    for (const [type, path, taken] of [
      ['text/plain', '/request', 'application/yaml, application/json, application/xml'],
      [
        'text/plain',
        '/jobs',
        'application/x-www-form-urlencoded, multipart/form-data, application/yaml, application/json, application/xml',
      ],
    ] as const) {
      const [status, , text, headers] = await post(undefined, type, path);
      expect([path, status, headers.get('accept')]).toEqual([path, 415, taken]);
      expect(text).toContain('application/yaml');
      const packed = await post(undefined, 'application/json', path, {
        'Content-Encoding': 'compress',
      });
      expect([packed[0], packed[3].get('accept-encoding')]).toEqual([
        415,
        'gzip, deflate, br, identity',
      ]);
    }
  });

  test('to a document where only a form is allowed is 415: it is not ignored', async () => {
    const [made, , said, headers] = await post(undefined, 'application/json', '/jobs');
    expect([made, said]).toEqual([303, expect.anything()]);
    const job = (headers.get('location') ?? '').slice(open.url.length);
    for (const path of [`${job}/phase`, `${job}/parameters`, job]) {
      const [status, , text, answered] = await post(undefined, 'application/json', path);
      expect([path, status, answered.get('accept'), text]).toEqual([
        path,
        415,
        'application/x-www-form-urlencoded, multipart/form-data',
        expect.stringMatching(/^media-type-unsupported: /),
      ]);
    }
  });

  test('to a head that is too large is 431, as the contract says', async () => {
    const { hostname, port } = new URL(open.url);
    const status = await new Promise((resolve, reject) => {
      request(
        { hostname, port, path: '/jobs', headers: { 'X-Large': 'x'.repeat(20_000) } },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      )
        .on('error', reject)
        .end();
    });
    expect(status).toBe(431);
  });
});
