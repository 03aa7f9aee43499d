import { once } from 'node:events';
import { get } from 'node:http';
import { networkInterfaces } from 'node:os';
import { describe, expect, test } from '@jest/globals';
import { claimPort } from '../../../src/http/edge/listen.ts';
import { sendRaw, type RawAnswer } from '../../harness/raw.ts';
import { serveTests } from '../../harness/serve.ts';
import { SMALL_ASK, SMALL_RULES, SMALL_SITE } from '../../harness/site.ts';

const POST = [
  'POST /request HTTP/1.1',
  'Content-Type: application/json',
  'Accept: application/json',
];
/** Every document that a client can read without an id. */
const READS = [
  '/',
  '/livez',
  '/readyz',
  '/metrics',
  '/docs',
  '/docs/viewer.js',
  '/openapi.yaml',
  '/openapi.json',
  '/availability',
  '/capabilities',
  '/jobs',
  '/async',
  '/jobs/x?WAIT=60',
  '/jobs/x/results/stdout',
  '/calendar',
  '/offers/x',
  '/asks/x/explain',
  '/nothing',
];

const ofMachine = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === 'IPv4' && !one.internal)?.address;

/** A link-local address and its interface, without which nobody reaches it. */
const linkLocal = Object.entries(networkInterfaces())
  .flatMap(([name, all = []]) => all.map(({ address }) => ({ name, address })))
  .find(({ address }) => address.startsWith('fe80:'));

describe('the hosts of a service that listens on loopback', () => {
  const service = serveTests(SMALL_SITE, SMALL_RULES, {
    hosts: ['planner.lan'],
    publicUrl: 'https://portal.example.org:8443/planner',
  });
  const ask = (host: string): Promise<RawAnswer> =>
    sendRaw(service.url, [...POST, `Host: ${host}`], SMALL_ASK);

  test.each([
    'localhost',
    'LocalHost:8080',
    'localhost.:8080',
    'planner.localhost',
    '127.0.0.1',
    '127.0.0.1:1',
    '127.254.3.1',
    '127.1',
    '[::1]',
    '[::1]:8080',
    '[0:0::1]',
  ])('are those of loopback, with any port: %s', async (host) => {
    expect((await ask(host)).status).toBe(200);
  });

  test.each(['planner.lan', 'PLANNER.LAN:8080', 'portal.example.org', 'portal.example.org:80'])(
    'are those that its operator names: %s',
    async (host) => {
      expect((await ask(host)).status).toBe(200);
    },
  );

  test.each([
    'evil.example',
    '0.0.0.0',
    '0.0.0.0:8080',
    '0',
    '[::]',
    '[::]:8080',
    '[::ffff:127.0.0.1]',
    '[::ffff:0.0.0.0]',
    '10.0.0.1',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'evillocalhost',
    'xplanner.lan',
    'planner.lan.evil.example',
    'example.org',
    '127.0.0.1.nip.io',
  ])('are no others, which a rebound name could reach: %s is 421', async (host) => {
    const answer = await ask(host);
    expect(answer.status).toBe(421);
    expect(JSON.parse(answer.body)).toMatchObject({
      code: 'host-unknown',
      detail: expect.stringContaining(`'${host}'`),
    });
  });

  test.each(READS)('are checked for reads too: GET %s', async (path) => {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE']) {
      expect(
        (await sendRaw(service.url, [`${method} ${path} HTTP/1.1`, 'Host: evil.example:8080']))
          .status,
      ).toBe(421);
    }
    expect(
      (await sendRaw(service.url, [`GET ${path} HTTP/1.1`, 'Host: 127.0.0.1:8080'])).status,
    ).not.toBe(421);
  });

  test('are refused for UWS clients as text that begins with the code', async () => {
    const { body } = await sendRaw(service.url, ['GET /jobs HTTP/1.1', 'Host: evil.example']);
    expect(body).toContain(
      "host-unknown: This service does not have the name 'evil.example' (Host)",
    );
  });

  test.each([
    [['Host: 127.0.0.1', 'Host: evil.example']],
    [['Host: evil.example', 'hOST: 127.0.0.1']],
    [['Host: 127.0.0.1', 'Host: 127.0.0.1']],
  ])('are one in a request: %j is 400', async (hosts) => {
    const answer = await sendRaw(service.url, [...POST, ...hosts], SMALL_ASK);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({
      code: 'parameter-invalid',
      detail: expect.stringContaining('twice'),
    });
  });

  test('are optional in HTTP/1.0 only, which no browser uses', async () => {
    expect((await sendRaw(service.url, ['GET /livez HTTP/1.0'])).status).toBe(200);
    expect((await sendRaw(service.url, ['GET /livez HTTP/1.1'])).status).toBe(400);
  });

  test('are not taken from X-Forwarded-Host while no proxy is trusted', async () => {
    const spoof = await sendRaw(
      service.url,
      [...POST, 'Host: evil.example', 'X-Forwarded-Host: 127.0.0.1'],
      SMALL_ASK,
    );
    const ignored = await sendRaw(
      service.url,
      [...POST, 'Host: 127.0.0.1', 'X-Forwarded-Host: evil.example'],
      SMALL_ASK,
    );
    expect([spoof.status, ignored.status]).toEqual([421, 200]);
  });
});

describe('the hosts behind a trusted proxy', () => {
  const service = serveTests(SMALL_SITE, SMALL_RULES, {
    hosts: ['planner.example.org'],
    trustProxy: 'loopback',
  });
  const ask = (host: string, forwarded: string): Promise<RawAnswer> =>
    sendRaw(
      service.url,
      [...POST, `Host: ${host}`, `X-Forwarded-Host: ${forwarded}`, 'X-Forwarded-Proto: https'],
      SMALL_ASK,
    );

  test('are what the proxy says, and links name it', async () => {
    const { status, body } = await ask('127.0.0.1:8080', 'planner.example.org');
    expect(status).toBe(200);
    expect(JSON.parse(body).response.offers[0].href).toMatch(
      /^https:\/\/planner\.example\.org\/offers\//,
    );
  });

  test('must be in the list, whoever names them: a rebound page could reach us past the proxy', async () => {
    expect((await ask('evil.example:8080', 'planner.example.org')).status).toBe(421);
    const other = await ask('127.0.0.1:8080', 'evil.example');
    expect(other.status).toBe(421);
    expect(JSON.parse(other.body).detail).toContain("'evil.example' (X-Forwarded-Host)");
    expect((await ask('127.0.0.1:8080', 'ev il')).status).toBe(400);
  });
});

describe('the hosts of a service that listens everywhere', () => {
  const service = serveTests(SMALL_SITE, SMALL_RULES, { host: '0.0.0.0' });
  const status = async (host: string, at = '127.0.0.1'): Promise<number> =>
    (
      await sendRaw(`http://${at}:${new URL(service.url).port}`, [
        'GET /livez HTTP/1.1',
        `Host: ${host}`,
      ])
    ).status;

  test('are not 0.0.0.0, which means this machine to no browser, nor foreign addresses', async () => {
    expect([
      await status('0.0.0.0'),
      await status('10.254.254.254'),
      await status('127.0.0.1'),
    ]).toEqual([421, 421, 200]);
  });
});

(ofMachine === undefined ? describe.skip : describe)(
  'the hosts of a service that listens on a network (needs a network)',
  () => {
    const service = serveTests(SMALL_SITE, SMALL_RULES, { host: '0.0.0.0' });

    test('are the address at which a request arrives, as probes and clients of the network say it', async () => {
      const address = String(ofMachine);
      const status = async (at: string): Promise<number> =>
        (
          await sendRaw(`http://${at}:${new URL(service.url).port}`, [
            'GET /livez HTTP/1.1',
            `Host: ${address}:8080`,
          ])
        ).status;
      expect([await status(address), await status('127.0.0.1')]).toEqual([200, 421]);
    });
  },
);

(linkLocal === undefined ? describe.skip : describe)(
  'the hosts of a service that listens on all of IPv6 (needs a link-local address)',
  () => {
    const service = serveTests(SMALL_SITE, SMALL_RULES, { host: '::' });
    const { address = '', name = '' } = linkLocal ?? {};

    test('are the link-local address at which a request arrives, which clients say without the interface', async () => {
      const { port } = new URL(service.url);
      const sent = get({
        host: `${address}%${name}`,
        port,
        path: '/livez',
        headers: { Host: `[${address}]:${port}` },
      });
      const [answer] = await once(sent, 'response');
      answer.resume();
      expect(answer.statusCode).toBe(200);
    });

    test('can have a port for several planners there', async () => {
      expect(await claimPort({ host: `${address}%${name}`, port: 0 })).toBeGreaterThan(0);
    });
  },
);
