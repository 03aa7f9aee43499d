import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fetchAgain } from '../../src/runners/run/fetch-source.ts';
import type { ReadSource } from '../../src/sources/known.ts';
import { keepTexts } from '../../src/sources/kept.ts';
import { openSources, type Sources } from '../../src/sources/sources.ts';
import { followSources } from '../../src/sources-in-force.ts';

const folder = mkdtempSync(join(tmpdir(), 'sources-test-'));
const limits = { milliseconds: 20_000, bytes: 1000, redirects: 5 };
const PATIENCE = 20_000;
const CLIENT = 'somebody';
const ANYBODY = 'anybody ';
/** The server is at all of them. */
const HOSTS = [1, 2, 3, 4, 5].map((last) => `127.0.0.${last}`);

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
const answers = new Map<string, Answer>();
const seen: { readonly path: string; readonly headers: IncomingMessage['headers'] }[] = [];
let server: Server;
let port = 0;
let host = '';
let now = 0;
let sources: Sources;

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = request.url ?? '';
    seen.push({ path, headers: request.headers });
    const answer = answers.get(path);
    if (answer === undefined) response.writeHead(404).end();
    else answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const address = server.address();
  port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  host = `127.0.0.1:${port}`;
});
beforeEach(() => {
  answers.clear();
  seen.length = 0;
  sources = openSources(
    (url, mark) =>
      fetchAgain(
        url,
        { allowHosts: HOSTS.map((one) => `${one}:${port}`), fileRoots: [folder] },
        { limits, ...(mark && { mark }) },
      ),
    () => now,
    (client) => client.startsWith(ANYBODY),
  );
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

function read(url: string, patience: number, client = CLIENT): Promise<ReadSource> {
  return sources.read(url, patience, client);
}

function at(path: string): string {
  return `http://${host}${path}`;
}

describe('what a URL holds', () => {
  test('is read once a minute, and shared by whoever asks meanwhile', async () => {
    answers.set('/a.py', (_request, response) => response.end('import numpy'));
    const [one, other] = await Promise.all([
      read(at('/a.py'), PATIENCE),
      read(at('/a.py'), PATIENCE),
    ]);
    now += 59_000;
    expect(await read(at('/a.py'), PATIENCE)).toBe(one);
    expect(one).toEqual({ kind: 'text', text: 'import numpy' });
    expect(other).toBe(one);
    expect(seen).toHaveLength(1);
    now += 2000;
    await read(at('/a.py'), PATIENCE);
    expect(seen).toHaveLength(2);
  });

  test.each([
    ['entity tag', 'etag', 'if-none-match', '"7"'],
    ['time of its change', 'last-modified', 'if-modified-since', 'Sun, 01 Nov 2026 10:00:00 GMT'],
  ])('is asked for again by its %s, and stays the same object', async (_, has, asks, value) => {
    answers.set('/b.py', (request, response) => {
      if (request.headers[asks] === value) response.writeHead(304).end();
      else response.writeHead(200, { [has]: value }).end('import scipy');
    });
    const first = await read(at('/b.py'), PATIENCE);
    now += 61_000;
    expect(await read(at('/b.py'), PATIENCE)).toBe(first);
    expect(seen.map(({ headers }) => headers[asks])).toEqual([undefined, value]);
    now += 59_000;
    await read(at('/b.py'), PATIENCE);
    expect(seen).toHaveLength(2);
  });

  test('is one object at two URLs, so that what follows from it is found out once', async () => {
    for (const path of ['/c.py', '/d.py'])
      answers.set(path, (_request, response) => response.end('print(1)'));
    const [one, other] = [await read(at('/c.py'), PATIENCE), await read(at('/d.py'), PATIENCE)];
    expect(one).toBe(other);
  });

  test('is read again at once where it is a file, which people change', async () => {
    const path = join(folder, 'e.py');
    const url = pathToFileURL(path).href;
    writeFileSync(path, 'one');
    expect(await read(url, PATIENCE)).toEqual({ kind: 'text', text: 'one' });
    writeFileSync(path, 'two');
    expect(await read(url, PATIENCE)).toEqual({ kind: 'text', text: 'two' });
  });
});

describe('a URL that cannot be read', () => {
  test('is asked for again after ten seconds', async () => {
    const failed = { kind: 'unread', code: 'fetch-failed' };
    expect(await read(at('/none'), PATIENCE)).toMatchObject(failed);
    now += 9000;
    expect(await read(at('/none'), PATIENCE)).toMatchObject(failed);
    expect(seen).toHaveLength(1);
    answers.set('/none', (_request, response) => response.end('here'));
    now += 2000;
    expect(await read(at('/none'), PATIENCE)).toEqual({ kind: 'text', text: 'here' });
  });

  test('is forbidden where the policy says so, also behind a redirect', async () => {
    answers.set('/away', (_request, response) =>
      response.writeHead(302, { location: 'http://127.0.0.2/' }).end(),
    );
    for (const url of ['http://127.0.0.1:1/', 'file:///etc/passwd', at('/away')])
      expect(await read(url, PATIENCE)).toMatchObject({ code: 'url-forbidden' });
  });

  test('is too large, or no text', async () => {
    answers.set('/large', (_request, response) => response.end('x'.repeat(1001)));
    answers.set('/bytes', (_request, response) => response.end(Buffer.from([0xff, 0xfe])));
    expect(await read(at('/large'), PATIENCE)).toMatchObject({ code: 'fetch-too-large' });
    expect(await read(at('/bytes'), PATIENCE)).toMatchObject({ why: 'this is not text in UTF-8' });
  });

  test('is late when patience ends, and is there for whoever asks later', async () => {
    let held: ServerResponse | undefined;
    const asked = new Promise<void>((resolve) =>
      answers.set('/slow', (_request, response) => {
        held = response;
        resolve();
      }),
    );
    expect(await read(at('/slow'), 1)).toMatchObject({ code: 'fetch-timeout' });
    await asked;
    const later = read(at('/slow'), PATIENCE);
    held?.end('at last');
    expect(await later).toEqual({ kind: 'text', text: 'at last' });
    expect(seen).toHaveLength(1);
  });

  test('keeps no more than six requests of one server open, and others get theirs', async () => {
    const held: ServerResponse[] = [];
    const slow = Array.from({ length: 8 }, (_, index) => `/slow/${index}`);
    for (const path of slow) answers.set(path, (_request, response) => void held.push(response));
    const all = slow.map((path, index) => read(at(path), PATIENCE, `client ${index % 2}`));
    const path = join(folder, 'f.py');
    writeFileSync(path, 'fine');
    expect(await read(pathToFileURL(path).href, PATIENCE)).toMatchObject({ kind: 'text' });
    while (held.length < 6) await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toHaveLength(6);
    while (seen.length < 8 || held.length > 0) {
      held.pop()?.end('x');
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await Promise.all(all)).toEqual(slow.map(() => ({ kind: 'text', text: 'x' })));
  });

  test('keeps no turns from others, however many slow servers one client names', async () => {
    const held: ServerResponse[] = [];
    const urls = HOSTS.flatMap((name) =>
      Array.from({ length: 7 }, (_, index) => `http://${name}:${port}/slow?${index}`),
    );
    for (const url of urls)
      answers.set(`/slow${new URL(url).search}`, (_request, response) => void held.push(response));
    const all = urls.map((url) => read(url, PATIENCE, 'greedy'));
    answers.set('/quick', (_request, response) => response.end('quick'));
    expect(await read(at('/quick'), PATIENCE)).toEqual({ kind: 'text', text: 'quick' });
    while (held.length < 5) await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toHaveLength(6);
    let answered = 0;
    while (answered < urls.length) {
      if (held.pop()?.end('x') !== undefined) answered += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await Promise.all(all)).toEqual(urls.map(() => ({ kind: 'text', text: 'x' })));
  });

  test('of sixteen slow ones at one address keeps no turns from the next in the crowd', async () => {
    const held: ServerResponse[] = [];
    const urls = HOSTS.slice(1).flatMap((name) =>
      Array.from({ length: 4 }, (_, index) => `http://${name}:${port}/hang?${index}`),
    );
    for (const url of urls)
      answers.set(`/hang${new URL(url).search}`, (_request, response) => void held.push(response));
    answers.set('/next', (_request, response) => response.end('next'));
    const slow = urls.slice(0, 16).map((url) => read(url, PATIENCE, `${ANYBODY}one`));
    expect(await read(at('/next'), PATIENCE, `${ANYBODY}next`)).toEqual({
      kind: 'text',
      text: 'next',
    });
    while (held.length < 5) await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toHaveLength(6);
    let answered = 0;
    while (answered < slow.length) {
      if (held.pop()?.end('x') !== undefined) answered += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await Promise.all(slow)).toEqual(slow.map(() => ({ kind: 'text', text: 'x' })));
  });

  test('of a whole crowd keeps no turns from those with a credential', async () => {
    const held: ServerResponse[] = [];
    const urls = HOSTS.slice(1).flatMap((name) =>
      Array.from({ length: 5 }, (_, index) => `http://${name}:${port}/hang?${index}`),
    );
    for (const url of urls)
      answers.set(`/hang${new URL(url).search}`, (_request, response) => void held.push(response));
    const all = urls.map((url, index) => read(url, PATIENCE, `${ANYBODY}${index % 5}`));
    while (held.length < 16) await new Promise((resolve) => setImmediate(resolve));
    answers.set('/other', (_request, response) => response.end('other'));
    expect(await read(at('/other'), PATIENCE)).toEqual({ kind: 'text', text: 'other' });
    expect(seen).toHaveLength(17);
    let answered = 0;
    while (answered < urls.length) {
      if (held.pop()?.end('x') !== undefined) answered += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await Promise.all(all)).toEqual(urls.map(() => ({ kind: 'text', text: 'x' })));
  });

  test('is not read for one who waits for too many', async () => {
    const held: ServerResponse[] = [];
    const urls = Array.from({ length: 201 }, (_, index) => `/many/${index}`);
    for (const path of urls) answers.set(path, (_request, response) => void held.push(response));
    const all = urls.map((path) => read(at(path), 1, 'greedy'));
    expect(await all.at(-1)).toMatchObject({ code: 'busy' });
    answers.set('/quick', (_request, response) => response.end('quick'));
    expect(await read(at('/quick'), PATIENCE)).toEqual({ kind: 'text', text: 'quick' });
    now += 2;
    while (held.length < 5) await new Promise((resolve) => setImmediate(resolve));
    for (const response of held) response.end('x');
    await Promise.all(all);
  });

  test('is read for the most patient of those who wait for its turn', async () => {
    const held: ServerResponse[] = [];
    const slow = Array.from({ length: 5 }, (_, index) => `/before/${index}`);
    for (const path of slow) answers.set(path, (_request, response) => void held.push(response));
    answers.set('/shared', (_request, response) => response.end('here'));
    const before = slow.map((path) => read(at(path), PATIENCE));
    const impatient = read(at('/shared'), 10);
    const patient = read(at('/shared'), PATIENCE);
    expect(await impatient).toMatchObject({ code: 'fetch-timeout' });
    now += 20;
    while (held.length < 5) await new Promise((resolve) => setImmediate(resolve));
    for (const response of held) response.end('x');
    expect(await patient).toEqual({ kind: 'text', text: 'here' });
    await Promise.all(before);
  });
});

describe('texts that are kept', () => {
  test('are the latest within bounds, each counted once', () => {
    const texts = keepTexts<number>({ urls: 3, bytes: 20 });
    texts.keep('a', 'xxxx', 1);
    texts.keep('b', 'xxxx', 2);
    texts.keep('c', 'yyyy', 3);
    expect(texts.find('a')?.note).toBe(1);
    texts.keep('d', 'z', 4);
    expect(['a', 'b', 'c', 'd'].map((url) => texts.find(url)?.note)).toEqual([1, undefined, 3, 4]);
    texts.keep('e', 'wwwwwwwwww', 5);
    expect(['a', 'c', 'd', 'e'].map((url) => texts.find(url)?.note)).toEqual([
      undefined,
      undefined,
      undefined,
      5,
    ]);
    expect(texts.keep('f', 'too large for all', 6).text).toBe('too large for all');
    expect(texts.find('f')).toBeUndefined();
    expect(texts.find('e')?.note).toBe(5);
  });
});

describe('the policy of the site in force', () => {
  test('decides anew after a reload, whatever an earlier one allowed', async () => {
    answers.set('/g.py', (_request, response) => response.end('1'));
    let fetch = { allowHosts: [host], fileRoots: [folder] };
    const inForce = followSources(() => ({ fetch }));
    expect(await inForce.read(at('/g.py'), PATIENCE, CLIENT)).toMatchObject({ kind: 'text' });
    fetch = { allowHosts: [], fileRoots: [] };
    expect(await inForce.read(at('/g.py'), PATIENCE, CLIENT)).toMatchObject({
      code: 'url-forbidden',
    });
    inForce.close();
  });
});
