import { describe, expect, test } from '@jest/globals';
import { load } from 'js-yaml';
import { readFile } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { contractFaults } from '../harness/contract.ts';
import { sendRaw } from '../harness/raw.ts';
import { serveTests } from '../harness/serve.ts';
import { SMALL_ASK, SMALL_RULES, SMALL_SITE } from '../harness/site.ts';

describe('the service', () => {
  const service = serveTests(SMALL_SITE, SMALL_RULES);
  const get = (path: string, options: RequestInit = {}): Promise<Response> =>
    fetch(`${service.url}${path}`, options);

  test('serves its contract as YAML and as JSON, the same', async () => {
    const yaml = await (await get('/openapi.yaml')).text();
    expect(yaml).toBe(await readFile(new URL('../../api/openapi.yaml', import.meta.url), 'utf8'));
    expect(await (await get('/openapi.json')).json()).toEqual(load(yaml));
  });

  test('serves an API page that asks no other host for anything', async () => {
    const page = await get('/docs');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const html = await page.text();
    expect(html).not.toMatch(/https?:\/\//);
    const types = await Promise.all(
      [...html.matchAll(/(?:src|href)="(docs[^"]+)"/g)].map(
        async ([, path = '']) =>
          (await fetch(new URL(path, page.url))).headers.get('content-type')?.split(';')[0],
      ),
    );
    expect(types).toEqual(['text/css', 'text/javascript', 'text/javascript', 'text/html']);
  });

  test('says that it is alive and ready', async () => {
    expect(await (await get('/livez')).text()).toBe('alive\n');
    const ready = await get('/readyz');
    const document: unknown = await ready.json();
    expect(ready.status).toBe(200);
    expect(contractFaults('Readiness', document)).toEqual([]);
  });

  test('counts asks by result and reason, live offers, accepts, conflicts, and jobs by phase', async () => {
    const ask = async (body: string): Promise<{ offers?: { href: string }[] }> => {
      const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
      return Object(await (await get('/request', { method: 'POST', body, headers })).json())
        .response;
    };
    const update = (href: string, status: string) =>
      fetch(href, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ status }),
      });
    const { offers: [offer] = [] } = await ask(SMALL_ASK);
    await ask(SMALL_ASK);
    await ask(SMALL_ASK.replace('executable', 'crystal-ball'));
    await update(offer?.href ?? '', 'ACCEPTED');
    await update(offer?.href ?? '', 'REJECTED');
    const text = await (await get('/metrics')).text();
    for (const table of ['ask', 'audit', 'graphile_worker.jobs'])
      expect(text).toContain(`planner_table_bytes{table="${table}"} `);
    for (const line of [
      'planner_asks_total{result="YES"} 2',
      'planner_asks_total{result="NO"} 1',
      'planner_refusals_total{code="unknown-task-type"} 1',
      'planner_offers_live 1',
      'planner_offer_updates_total{verdict="accepted:accepted"} 1',
      'planner_offer_updates_total{verdict="offer-state-conflict"} 1',
      'planner_jobs{phase="QUEUED"} 1',
      'planner_jobs{phase="COMPLETED"} 0',
      'planner_database_up 1',
      'planner_sandbox{what="decisions"} 2',
    ])
      expect(text.split('\n')).toContain(line);
  });

  test('refuses the unknown: places are 404, methods 405, query parameters 400', async () => {
    expect(
      await (await get('/admin', { headers: { Accept: 'application/json' } })).json(),
    ).toMatchObject({ status: 404, code: 'route-unknown' });
    expect((await get('/request')).status).toBe(405);
    expect((await get('/request', { method: 'DELETE' })).status).toBe(405);
    for (const [path = '', allowed] of [
      ['/request', 'OPTIONS, POST'],
      ['/offers/x', 'GET, HEAD, OPTIONS, POST'],
      ['/livez', 'GET, HEAD, OPTIONS'],
    ]) {
      expect((await get(path, { method: 'PUT' })).headers.get('allow')).toBe(allowed);
    }
    expect(
      (
        await get('/request?debug=1', {
          method: 'POST',
          body: SMALL_ASK,
          headers: { 'Content-Type': 'application/json' },
        })
      ).status,
    ).toBe(400);
    for (const path of ['/docs', '/docs/', '/docs/errors', '/docs/search', '/'])
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
        const refused = await get(path, { method, headers: { Accept: 'application/json' } });
        expect([path, refused.status, refused.headers.get('allow')]).toEqual([
          path,
          405,
          'GET, HEAD, OPTIONS',
        ]);
        expect(await refused.json()).toMatchObject({ code: 'method-not-allowed' });
      }
    expect((await get('/docs/nothing')).status).toBe(404);
    expect((await get('/%ff')).status).toBe(404);
    expect((await get('/jobs/%ff')).status).toBe(404);
  });

  test('answers OPTIONS * with the methods of all its places', async () => {
    const head = ['OPTIONS * HTTP/1.1', `Host: ${new URL(service.url).host}`];
    const { status, headers, body } = await sendRaw(service.url, head);
    expect([status, headers.get('allow'), body]).toEqual([
      204,
      'DELETE, GET, HEAD, OPTIONS, POST, PUT',
      '',
    ]);
  });

  test('sends no header that names its software, and none that lets foreign pages read it', async () => {
    const { headers } = await get('/readyz');
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('access-control-allow-origin')).toBeNull();
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('answers HEAD like GET without the content', async () => {
    for (const path of [
      '/offers/00000000-0000-0000-0000-000000000000',
      '/calendar',
      '/openapi.yaml',
      '/jobs',
    ]) {
      const [read, head] = [await get(path), await get(path, { method: 'HEAD' })];
      expect({
        path,
        status: head.status,
        type: head.headers.get('content-type'),
        text: await head.text(),
      }).toEqual({ path, status: read.status, type: read.headers.get('content-type'), text: '' });
    }
  });

  test.each(['evil"><script>', 'a b', 'a/b', 'user@host'])(
    'answers 400 to a malformed Host (%s), and puts it into no link',
    async (host) => {
      const { hostname, port } = new URL(service.url);
      // `fetch` sets the header itself.
      const sent = request({
        hostname,
        port,
        path: '/request',
        method: 'POST',
        headers: { Host: host, 'Content-Type': 'application/json', Accept: 'application/json' },
      });
      sent.end(SMALL_ASK);
      const response = await new Promise<IncomingMessage>((done) => sent.once('response', done));
      const answer = { status: response.statusCode, body: await text(response) };
      expect(answer.status).toBe(400);
      expect(JSON.parse(answer.body)).toMatchObject({
        code: 'parameter-invalid',
        detail: expect.stringContaining('Host'),
      });
    },
  );
});
