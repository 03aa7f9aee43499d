import { describe, expect, test } from '@jest/globals';
import express from 'express';
import { DIALECTS } from '../../src/dialects/all.ts';
import { listenForRequests, urlOf } from '../../src/http/edge/listen.ts';
import { vosiRoutes } from '../../src/http/vosi-routes.ts';
import { openDoorkeeper } from '../../src/identity/identify.ts';
import { openFollowingToy } from '../dialects/toy/following.ts';
import { siteOf } from '../harness/asks.ts';
import { sendRaw } from '../harness/raw.ts';
import { startTestService } from '../harness/service.ts';
import { hasSchemas, openVosiSchema } from './schema.ts';
import { serveTests } from '../harness/serve.ts';
import { tokenOf } from '../harness/site.ts';

const LOGIN =
  'ivoa_bearer standard_id="ivo://ivoa.net/sso#tls-with-password", access_url="https://vo.example.org/login"';
const SITE = {
  name: 'Example <site>',
  rules: ['rules.yml'],
  identity: {
    anonymous: true,
    tokens: [tokenOf('secret', { user: 'ada@example.org' })],
    challenges: [LOGIN],
  },
  registry: {
    identifier: 'ivo://example.org/planner',
    publisher: 'Example & Co',
    contact: { name: 'Operators', email: 'ops@example.org' },
    description: 'Runs things.',
    created: '2026-08-10',
  },
  destinations: {
    a: {
      runner: 'process',
      'task-types': ['executable'],
      cores: 4,
      memory: '8GiB',
      scratch: '80GiB',
    },
  },
};
const RULES = { destinations: { a: { runner: 'process' } } };

const service = serveTests(SITE, RULES);
async function get(path: string, init: RequestInit = {}) {
  const response = await fetch(service.url + path, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Where clients of the service's own vocabularies ask, and where they ask and accept at once. */
const PATHS = ['/request', '/requests', '/offersets', '/direct', '/sessions'];

describe('VOSI and registry documents', () => {
  test('are served to everybody as text/xml, and answer HEAD', async () => {
    for (const path of ['/availability', '/capabilities', '/registry.xml']) {
      const { status, headers } = await get(path);
      expect([path, status, headers.get('content-type')]).toEqual([
        path,
        200,
        'text/xml; charset=utf-8',
      ]);
      expect(await get(path, { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
    }
  });

  test('name every path at which a client asks, and those at which it asks and accepts at once', async () => {
    const following = await startTestService(SITE, RULES, {}, [...DIALECTS, openFollowingToy]);
    try {
      for (const path of ['/capabilities', '/registry.xml']) {
        const text = await (await fetch(following.url + path)).text();
        for (const at of [...PATHS, '/wishes', '/hopes', '/musts', '/bids'])
          expect(text).toContain(`<accessURL use="full">${following.url}${at}</accessURL>`);
        expect(text).toContain('with which resources and when: POST /wishes or /hopes.');
        expect(text).toContain('with the first offer: POST /musts or /bids.');
      }
    } finally {
      await following.close();
    }
  });

  test('name the job list at the URL that the client used, with every way to log in', async () => {
    const { text, headers } = await get('/capabilities');
    expect(text).toContain(
      '<capability standardID="ivo://ivoa.net/std/UWS#rest-1.1"><interface ' +
        'xsi:type="vs:ParamHTTP" role="std"><accessURL ' +
        `use="full">${service.url}/jobs</accessURL><securityMethod/><securityMethod ` +
        'standardID="ivo://ivoa.net/sso#OAuth"/><securityMethod ' +
        'standardID="ivo://ivoa.net/sso#tls-with-password"/></interface></capability>',
    );
    expect(text).toContain('standardID="ivo://example.org/planner#planner"');
    expect(Date.parse(headers.get('last-modified') ?? '')).toBeLessThanOrEqual(Date.now());
  });

  test('are new to who has them when the site file names another identifier', async () => {
    const here = { ...SITE.registry, subjects: [], referenceUrl: undefined };
    let site = { ...siteOf({}), registry: here };
    let now = Date.parse('2026-08-10T10:00:00Z');
    const app = express().use(
      vosiRoutes({
        site: () => site,
        doorkeeper: await openDoorkeeper(site.identity, Date.now),
        checks: [],
        baseUrl: () => 'https://planner.example.org',
        planners: [{ asks: ['/request'], direct: [] }],
        clock: () => now,
      }),
    );
    const server = await listenForRequests(app, { port: 0, host: '127.0.0.1' });
    const url = `${urlOf(server, '127.0.0.1')}/capabilities`;
    // `fetch` would add `Cache-Control: no-cache`.
    const since = async (time: string): Promise<number> => {
      const head = ['GET /capabilities HTTP/1.1', 'Host: x', `If-Modified-Since: ${time}`];
      return (await sendRaw(url, head)).status;
    };
    const first = (await fetch(url)).headers.get('last-modified') ?? '';
    now += 3_600_000;
    expect([first, await since(first)]).toEqual(['Mon, 10 Aug 2026 10:00:00 GMT', 304]);
    site = { ...site, registry: { ...here, identifier: 'ivo://example.org/new' } };
    expect(await since(first)).toBe(200);
    const second = await fetch(url);
    expect(second.headers.get('last-modified')).toBe('Mon, 10 Aug 2026 11:00:00 GMT');
    expect(await second.text()).toContain('standardID="ivo://example.org/new#planner"');
    expect(await since('Mon, 10 Aug 2026 11:00:00 GMT')).toBe(304);
    server.close();
  });

  test('challenge without a credential, take a good one, and refuse a wrong one', async () => {
    const anonymous = await get('/capabilities');
    expect(anonymous.headers.get('www-authenticate')).toBe(`Bearer realm="planner", ${LOGIN}`);
    expect(anonymous.headers.get('x-vo-authenticated')).toBeNull();
    const known = await get('/capabilities', { headers: { Authorization: 'Bearer secret' } });
    expect([known.status, known.headers.get('x-vo-authenticated')]).toEqual([
      200,
      'ada@example.org',
    ]);
    expect(
      (await get('/capabilities', { headers: { Authorization: 'Bearer wrong' } })).status,
    ).toBe(401);
  });

  test('describe the service for the registry', async () => {
    const { text } = await get('/registry.xml');
    expect(text).toContain('<title>Example &lt;site&gt;</title>');
    expect(text).toContain('<identifier>ivo://example.org/planner</identifier>');
    expect(text).toContain(`<referenceURL>${service.url}/docs</referenceURL>`);
  });
});

(hasSchemas ? describe : describe.skip)(
  'against the VOSI schemas (skipped without ../shared/schemas)',
  () => {
    const problemsIn = hasSchemas ? openVosiSchema() : () => '';
    test.each(['/availability', '/capabilities', '/registry.xml'])('%s is valid', async (path) => {
      expect(problemsIn((await get(path)).text)).toBe('');
    });

    test('the validator refuses broken ones', async () => {
      const { text } = await get('/capabilities');
      expect(problemsIn(text.replaceAll(/<accessURL[^>]*>[^<]*<\/accessURL>/g, ''))).not.toBe('');
      expect(
        problemsIn(
          (await get('/availability')).text.replace('>true<', '>yes<').replace('>false<', '>no<'),
        ),
      ).not.toBe('');
      expect(
        problemsIn((await get('/registry.xml')).text.replace(/<curation>.*<\/curation>/, '')),
      ).not.toBe('');
    });
  },
);
