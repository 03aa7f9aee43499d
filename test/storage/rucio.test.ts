import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { checkCredentials } from '../../src/storage/open.ts';
import { downloadRucio } from '../../src/storage/rucio/download.ts';
import { CannotStart } from '../../src/words/cannot-start.ts';

const IMAGE = randomBytes(300_000);
/** The Adler-32 at the end of a zlib stream. */
function sumOf(bytes: Uint8Array): string {
  return deflateSync(bytes).subarray(-4).toString('hex');
}

describe('a file that Rucio knows', () => {
  let server: Server;
  let url = '';
  let folder = '';
  let token = '';
  let replicas: Record<string, unknown> = {};
  let sent: Record<string, string | undefined> = {};
  let handle: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  beforeAll(async () => {
    server = createServer((request, response) => {
      const path = request.url ?? '';
      sent[path] = String(request.headers['x-rucio-auth-token'] ?? '');
      if (handle?.(request, response) === true) return;
      if (path.startsWith('/replicas/'))
        response.end(
          `${JSON.stringify({ pfns: { [`${url}/image`]: { priority: 1 } }, ...replicas })}\n`,
        );
      else response.end(path === '/empty' ? '' : IMAGE);
    });
    await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no address');
    url = `http://127.0.0.1:${address.port}`;
  });
  afterAll(() => new Promise((done) => void server.close(done)));
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'planner-rucio-'));
    token = join(folder, 'token');
    [replicas, sent, handle] = [{}, {}, undefined];
  });
  afterEach(() => rm(folder, { recursive: true }));

  const download = (
    scope = 'survey',
    scopes: readonly string[] = [],
    endpoint = url,
  ): Promise<void> =>
    downloadRucio({ kind: 'rucio', endpoint: `${url}/`, scope, object: 'image' }, folder, {
      urls: { allowHosts: [new URL(url).host, '127.0.0.1:1'], registries: [], fileRoots: [] },
      services: [{ endpoint, token, scopes }],
      most: 2 ** 20,
    });

  test.each([
    ['its Adler-32', () => ({ bytes: IMAGE.length, adler32: sumOf(IMAGE), md5: null })],
    ['an Adler-32 in capitals', () => ({ adler32: sumOf(IMAGE).toUpperCase() })],
    [
      'an Adler-32 whose zeros in front were left out',
      () => ({ adler32: '1', bytes: 0, pfns: { [`${url}/empty`]: { priority: 1 } } }),
    ],
    ['nothing', () => ({})],
  ])('is there when Rucio answers %s', async (_, told) => {
    replicas = told();
    await download();
    expect(
      (await readFile(join(folder, 'image'))).equals('pfns' in replicas ? Buffer.alloc(0) : IMAGE),
    ).toBe(true);
  });

  test.each([
    [
      'has another Adler-32',
      () => ({ adler32: sumOf(IMAGE.subarray(1)) }),
      'its Adler-32 is another',
    ],
    [
      'has another MD5, whatever its Adler-32',
      () => ({ adler32: sumOf(IMAGE), md5: 'd41d8cd98f00b204e9800998ecf8427e' }),
      'its MD5 is another',
    ],
    [
      'is longer',
      () => ({ bytes: IMAGE.length - 1 }),
      `it has ${IMAGE.length} bytes instead of ${IMAGE.length - 1}`,
    ],
  ])('is not taken when the data came %s', async (_, told, text) => {
    replicas = told();
    await expect(download()).rejects.toThrow(text);
  });

  test('comes from the first copy that is whole, whatever became of better ones', async () => {
    const broken = ['gone', 'cut', 'other'];
    handle = ({ url: path }, response) => {
      if (path === '/gone') response.writeHead(500).end();
      else if (path === '/cut') response.writeHead(200, { 'Content-Length': 10 }).write('half');
      else if (path === '/other') response.end('something else');
      else return false;
      if (path === '/cut') setImmediate(() => response.destroy());
      return true;
    };
    const copies = ['http://127.0.0.1:1/away', ...broken.map((path) => `${url}/${path}`)];
    const pfns = (all: readonly string[]): object =>
      Object.fromEntries(all.map((copy, priority) => [copy, { priority }]));
    replicas = {
      bytes: IMAGE.length,
      adler32: sumOf(IMAGE),
      pfns: pfns([...copies, `${url}/image`]),
    };
    await download();
    expect(Object.keys(sent)).toEqual([
      '/replicas/survey/image',
      ...broken.map((path) => `/${path}`),
      '/image',
    ]);
    expect((await readFile(join(folder, 'image'))).equals(IMAGE)).toBe(true);
    await rm(join(folder, 'image'));
    replicas = { bytes: IMAGE.length, pfns: pfns(copies.slice(1)) };
    await expect(download()).rejects.toThrow(
      'none of 3 copies of survey:image can be read; the first: ',
    );
    expect(await readdir(folder)).toEqual([]);
  });

  test('is requested with the current token of the site, for its scopes only; the replica is not', async () => {
    await writeFile(token, 'first.token\n');
    await download('survey', ['survey']);
    expect(sent).toEqual({ '/replicas/survey/image': 'first.token', '/image': '' });
    await rm(join(folder, 'image'));
    await writeFile(token, 'second.token');
    await download('survey', ['survey']);
    expect(sent['/replicas/survey/image']).toBe('second.token');
    sent = {};
    await rm(join(folder, 'image'));
    await download('private', ['survey']);
    expect(sent['/replicas/private/image']).toBe('');
    await rm(join(folder, 'image'));
    // The same service in other letters.
    await download('survey', ['survey'], url.replace('http:', 'HTTP:'));
    expect(sent['/replicas/survey/image']).toBe('second.token');
  });

  test('is not requested elsewhere when a token was sent: no redirect is followed', async () => {
    await writeFile(token, 'first.token');
    handle = (request, response) => {
      if (request.url?.startsWith('/replicas/') !== true) return false;
      response.writeHead(302, { Location: `${url}/elsewhere` }).end();
      return true;
    };
    await expect(download('survey', ['survey'])).rejects.toThrow('redirects');
    expect(sent).not.toHaveProperty('/elsewhere');
  });

  test('is not requested with an unusable token file, which also stops the start of a service', async () => {
    await expect(download('survey', ['survey'])).rejects.toThrow(
      `the site has no usable token for ${url}`,
    );
    expect(sent).toEqual({});
    await writeFile(token, 'two words');
    const failure: unknown = await checkCredentials({
      storage: [],
      s3: [],
      rucio: [{ endpoint: url, token, scopes: [] }],
    }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CannotStart);
    expect(String(failure)).toContain(token);
    expect(String(failure)).not.toContain('two words');
  });
});
