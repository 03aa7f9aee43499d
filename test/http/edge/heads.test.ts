import { describe, expect, test } from '@jest/globals';
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
});
