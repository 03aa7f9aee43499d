import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import express, { type ErrorRequestHandler } from 'express';
import { listenForRequests, urlOf } from '../../../src/http/edge/listen.ts';
import { sendFile } from '../../../src/uws/print/send-file.ts';
import { sendRaw } from '../../harness/raw.ts';
import { serveTests } from '../../harness/serve.ts';
import { SMALL_ASK, SMALL_RULES, SMALL_SITE } from '../../harness/site.ts';

const FILES = ['/docs/manual.css', '/docs/pictures/offers.png', '/docs/viewer.js'];

describe('the head of a request', () => {
  const service = serveTests(SMALL_SITE, SMALL_RULES);
  const get = (target: string, host: string) =>
    sendRaw(service.url, [`GET ${target} HTTP/1.1`, `Host: ${host}`]);

  test('may have a whole URL as its target, whose host counts instead of Host', async () => {
    expect((await get('http://evil.example/livez', '127.0.0.1')).status).toBe(421);
    expect((await get('http://a:b@127.0.0.1:1/livez', 'evil.example')).status).toBe(200);
    const list = await get('HTTP://planner.localhost:81?x=http://y', 'evil.example');
    expect(list.headers.get('location')).toBe('docs');
    const jobs = await get('http://planner.localhost:81/jobs?LIMIT=1', 'evil.example');
    expect(jobs.status).toBe(200);
  });

  test.each(['//:', '//[', '//x:y@:0/', '//%'])(
    'may have a target that is no URL, such as %s: there is nothing, and the service goes on',
    async (target) => {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
        const { status } = await sendRaw(service.url, [
          `${method} ${target} HTTP/1.1`,
          'Host: 127.0.0.1',
          'Content-Length: 0',
        ]);
        expect([method, status]).toEqual([method, 404]);
      }
      expect((await fetch(`${service.url}/livez`)).status).toBe(200);
    },
  );

  test('names the host of links by that target', async () => {
    const { body } = await sendRaw(
      service.url,
      [
        'POST http://planner.localhost:81/request HTTP/1.1',
        'Host: 127.0.0.1',
        'Content-Type: application/json',
        'Accept: application/json',
      ],
      SMALL_ASK,
    );
    expect(JSON.parse(body).response.offers[0].href).toMatch(/^http:\/\/planner\.localhost:81\//);
  });

  test('may want what a file of the service cannot give, which is said', async () => {
    for (const path of FILES) {
      const statuses: number[] = [];
      for (const headers of [
        { Range: 'bytes=99999999-' },
        { 'If-Match': '"x"' },
        { 'If-Unmodified-Since': 'Sun, 29 Nov 2020 00:00:00 GMT' },
        { 'If-Match': '*', 'If-Unmodified-Since': 'Sun, 29 Nov 2020 00:00:00 GMT' },
      ])
        statuses.push((await fetch(`${service.url}${path}`, { headers })).status);
      expect([path, ...statuses]).toEqual([path, 416, 412, 412, 200]);
    }
  });

  test('has a Range for GET alone', async () => {
    for (const path of FILES) {
      const send = (method: string) =>
        fetch(`${service.url}${path}`, { method, headers: { Range: 'bytes=0-3' } });
      const [part, head] = [await send('GET'), await send('HEAD')];
      expect([head.status, head.headers.get('content-range')]).toEqual([200, null]);
      expect((await part.text()).length).toBeGreaterThanOrEqual(4);
    }
  });

  test('names nothing by NUL or by *, which is said as of any other place', async () => {
    const wanted = [
      '/%00',
      '/offers/%00',
      '/jobs/%00',
      '/jobs/x%00/phase',
      '/me/sign-ins/%00',
      '/destinations/a%00/drain',
      '/nothing',
      '*',
    ];
    for (const target of wanted)
      for (const method of ['GET', 'DELETE']) {
        const head = [
          `${method} ${target} HTTP/1.1`,
          'Host: 127.0.0.1',
          'Accept: application/json',
        ];
        const { status, body } = await sendRaw(service.url, head);
        expect([method, target, status, body.includes('route-unknown')]).toEqual([
          method,
          target,
          404,
          true,
        ]);
      }
    expect((await sendRaw(service.url, ['OPTIONS * HTTP/1.1', 'Host: 127.0.0.1'])).status).toBe(
      204,
    );
  });

  test('is enough to refuse a body that is announced too large, which nobody has to send', async () => {
    const announce = async (path: string, length: number): Promise<string> => {
      const { hostname, port, host } = new URL(service.url);
      const socket = connect(Number(port), hostname);
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n` +
          `Expect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`,
      );
      const [first] = await once(socket, 'data');
      socket.destroy();
      return String(first);
    };
    for (const path of ['/request', '/jobs', '/sessions', '/login']) {
      const refused = await announce(path, 1_000_000_000);
      expect([path, refused.split(' ')[1]]).toEqual([path, '413']);
      expect(refused).toMatch(/^Connection: close\r$/m);
      expect(await announce(path, SMALL_ASK.length)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    }
  });
});

test('a request for a file that breaks off is no error of the service, which would log its credential', async () => {
  const errors: unknown[] = [];
  const app = express();
  app.get('/', (_request, response) => sendFile(response, import.meta.filename, {}));
  const keep: ErrorRequestHandler = (error, _request, response, _next) => {
    errors.push(error);
    response.destroy();
  };
  app.use(keep);
  const server = await listenForRequests(app, { port: 0, host: '127.0.0.1' });
  try {
    for (const line of ['Transfer-Encoding: a', 'Transfer-Encoding: chunked, a'])
      await sendRaw(urlOf(server, '127.0.0.1'), [
        'GET / HTTP/1.1',
        'Host: 127.0.0.1',
        'Authorization: Bearer secret',
        line,
      ]);
    expect(errors).toEqual([]);
  } finally {
    server.close();
  }
});
