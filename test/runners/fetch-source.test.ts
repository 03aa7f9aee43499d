import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Resolver } from '../../src/fetch/get.ts';
import { fetchSource, type Fetched } from '../../src/runners/run/fetch-source.ts';

const limits = { milliseconds: 60_000, bytes: 1000, redirects: 5 };
const hasty = { ...limits, milliseconds: 1500 };
const root = mkdtempSync(join(tmpdir(), 'fetch-test-'));
const seen: string[] = [];
let server: Server;
let host = '';

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = request.url ?? '';
    seen.push(`${request.headers.host} ${path}`);
    const hops = /^\/hops\/(\d+)$/.exec(path);
    if (hops !== null) {
      const left = Number(hops[1]);
      response.writeHead(302, { location: left === 0 ? '/file' : `/hops/${left - 1}` }).end();
    } else if (path.startsWith('/to?'))
      response.writeHead(307, { location: decodeURIComponent(path.slice(4)) }).end();
    else if (path === '/file') response.end('content');
    else if (path === '/other')
      response.writeHead(101, { upgrade: 'other', connection: 'upgrade' }).end();
    else if (path === '/large') response.end('x'.repeat(1001));
    else if (path === '/endless') {
      const timer = setInterval(() => response.write('y'.repeat(300)), 5);
      response.on('close', () => clearInterval(timer));
    } else if (path === '/drip') {
      const timer = setInterval(() => response.write('z'), 50);
      response.on('close', () => clearInterval(timer));
    } else if (path === '/silent') return;
    else response.writeHead(path === '/busy' ? 503 : 404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(root, { recursive: true });
});

function resolving(...addresses: readonly string[]): Resolver {
  return async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
}
async function get(
  path: string,
  more: { readonly limits?: typeof limits; readonly resolver?: Resolver } = {},
): Promise<Fetched> {
  const from = { allowHosts: [host], fileRoots: [root] };
  return fetchSource(`http://${host}${path}`, from, { limits, ...more });
}
function codeOf(fetched: Fetched): string {
  return fetched.ok ? fetched.content.toString() : fetched.code;
}

describe('the source of a task is fetched', () => {
  test('from an allowed host, through at most five redirects', async () => {
    expect(codeOf(await get('/file'))).toBe('content');
    expect(codeOf(await get('/hops/4'))).toBe('content');
    expect(await get('/hops/5')).toEqual({
      ok: false,
      code: 'fetch-failed',
      message: 'more than 5 redirects',
      transient: false,
    });
  });

  test('from the address that was checked, whatever the name resolves to later', async () => {
    const port = host.split(':')[1];
    const policy = { allowHosts: [`catalogue.example:${port}`], fileRoots: [] };
    const fetched = await fetchSource(`http://catalogue.example:${port}/file`, policy, {
      limits,
      resolver: resolving('127.0.0.1'),
    });
    expect(codeOf(fetched)).toBe('content');
    expect(seen).toContain(`catalogue.example:${port} /file`);
  });

  test.each([
    ['127.0.0.1'],
    ['10.0.0.8'],
    ['169.254.169.254'],
    ['::1'],
    ['fd00::1'],
    ['::ffff:10.0.0.1'],
    ['8.8.8.8', '127.0.0.1'],
  ])('never from a name that resolves to %s', async (...addresses) => {
    const port = host.split(':')[1];
    const url = `http://innocent.example:${port}/file`;
    const fetched = await fetchSource(
      url,
      { allowHosts: [], fileRoots: [] },
      { limits, resolver: resolving(...addresses) },
    );
    expect(fetched).toMatchObject({ ok: false, code: 'url-forbidden', transient: false });
    expect(seen).not.toContain(`innocent.example:${port} /file`);
  });

  test('never by a redirect into the site, to a file or with credentials', async () => {
    for (const target of [
      'http://127.0.0.1:1/',
      'http://localhost/',
      'http://[::1]/',
      `file://${root}/inside`,
      `http://u:p@${host}/file`,
    ])
      expect(codeOf(await get(`/to?${encodeURIComponent(target)}`))).toBe('url-forbidden');
  });

  test('up to a maximum size, also when no size is announced', async () => {
    expect(codeOf(await get('/large'))).toBe('fetch-too-large');
    expect(codeOf(await get('/endless'))).toBe('fetch-too-large');
  });

  test('within a time limit, also when bytes keep coming', async () => {
    expect(await get('/silent', { limits: hasty })).toMatchObject({
      code: 'fetch-timeout',
      transient: true,
    });
    expect(await get('/drip', { limits: hasty })).toMatchObject({
      code: 'fetch-timeout',
      transient: true,
    });
    expect(
      await get('/file', { limits: hasty, resolver: () => new Promise(() => undefined) }),
    ).toMatchObject({ code: 'fetch-timeout', transient: true });
  });

  test('and a server that changes the protocol keeps nobody waiting', async () => {
    expect(await get('/other')).toMatchObject({
      code: 'fetch-failed',
      message: expect.stringContaining('another protocol than HTTP'),
      transient: false,
    });
  }, 10_000);

  test('or the failure says whether to try again', async () => {
    expect(await get('/missing')).toMatchObject({
      code: 'fetch-failed',
      transient: false,
      message: '127.0.0.1 answered with HTTP status 404',
    });
    expect(await get('/busy')).toMatchObject({ code: 'fetch-failed', transient: true });
    expect(
      await fetchSource(
        'http://nowhere.example/',
        { allowHosts: [], fileRoots: [] },
        { limits, resolver: resolving() },
      ),
    ).toMatchObject({ code: 'fetch-failed', transient: true });
    expect(
      await fetchSource(
        'http://127.0.0.1:1/',
        { allowHosts: ['127.0.0.1'], fileRoots: [] },
        { limits },
      ),
    ).toMatchObject({ code: 'fetch-failed', transient: true });
  });
});

describe('files that the site lends', () => {
  const read = async (path: string): Promise<string> =>
    codeOf(
      await fetchSource(
        `file://${path}`,
        { allowHosts: [], fileRoots: [join(root, 'lent')] },
        { limits },
      ),
    );

  test('are read, and nothing else is: no link, no parent, no pipe, no directory', async () => {
    mkdirSync(join(root, 'lent/sub'), { recursive: true });
    writeFileSync(join(root, 'lent/a b.ipynb'), 'lent');
    writeFileSync(join(root, 'private'), 'secret');
    symlinkSync(join(root, 'private'), join(root, 'lent/link'));
    symlinkSync(root, join(root, 'lent/up'));
    symlinkSync(join(root, 'lent/a b.ipynb'), join(root, 'lent/inner'));
    writeFileSync(join(root, 'lent/large'), 'x'.repeat(1001));
    execFileSync('mkfifo', [join(root, 'lent/pipe')]);
    expect(await read(join(root, 'lent/a%20b.ipynb'))).toBe('lent');
    expect(await read(join(root, 'lent/inner'))).toBe('lent');
    expect(await read(join(root, 'lent/link'))).toBe('url-forbidden');
    expect(await read(join(root, 'lent/up/private'))).toBe('url-forbidden');
    expect(await read(join(root, 'lent/../private'))).toBe('url-forbidden');
    expect(await read(join(root, 'lent/%2e%2e/private'))).toBe('url-forbidden');
    expect(await read(join(root, 'lent/pipe'))).toBe('fetch-failed');
    expect(await read(join(root, 'lent/sub'))).toBe('fetch-failed');
    expect(await read(join(root, 'lent/missing'))).toBe('fetch-failed');
    expect(await read(join(root, 'lent/large'))).toBe('fetch-too-large');
  });
});
