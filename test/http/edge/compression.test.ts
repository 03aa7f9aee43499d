import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import { compressAnswers } from '../../../src/http/edge/compress.ts';
import { replyVersion } from '../../../src/http/sessions/versions.ts';
import { urlOf } from '../../../src/http/edge/listen.ts';
import { serveTests } from '../../harness/serve.ts';
import { SMALL_ASK, SMALL_RULES, SMALL_SITE } from '../../harness/site.ts';

const LARGE = 'a line of a large document\n'.repeat(2000);
const BOTH = 'gzip, br';

type Answer = Pick<IncomingMessage, 'statusCode' | 'headers'> & { readonly body: Buffer };

/** Asks without a client that decompresses by itself. */
async function look(
  url: string,
  encodings: string | undefined = BOTH,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
): Promise<Answer> {
  const sent = request(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...(encodings !== '' && { 'Accept-Encoding': encodings }), ...headers },
  }).end(body);
  const [answer]: IncomingMessage[] = await once(sent, 'response');
  if (answer === undefined) throw new Error('no answer');
  return { statusCode: answer.statusCode, headers: answer.headers, body: await buffer(answer) };
}

describe('answers', () => {
  let folder: string;
  let server: Server;
  let url: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'planner-compress-'));
    await writeFile(join(folder, 'stdout.txt'), LARGE);
    await writeFile(join(folder, 'picture.png'), LARGE);
    await writeFile(join(folder, 'page.html'), LARGE);
    const app = express().set('etag', false).use(compressAnswers);
    app.get('/send', ({ query: { type, length } }, response) => {
      response.type(String(type)).send(LARGE.slice(0, Number(length)));
    });
    app.get('/file/:name', ({ params: { name } }, response) => {
      response.sendFile(name, { root: folder });
    });
    app.get('/digested', (_, response) => {
      response.set('Repr-Digest', 'sha-256=:of the file:').sendFile('page.html', { root: folder });
    });
    app.get('/stream', ({ query: { type } }, response) => {
      response.setHeader('Content-Type', String(type));
      for (const line of LARGE.match(/.{1,100}/gs) ?? []) response.write(line);
      response.end();
    });
    app.get('/version', (incoming, response) => replyVersion(incoming, response, { LARGE }));
    server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = urlOf(server, '127.0.0.1');
  });
  afterAll(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });

  test.each([
    'application/json',
    'application/yaml',
    'application/problem+json',
    'application/xml',
    'text/html',
    'text/javascript',
    'text/plain',
    'image/svg+xml',
  ])('that are large come as br where the type is %s', async (type) => {
    const { headers, body } = await look(
      `${url}/send?length=99999&type=${encodeURIComponent(type)}`,
    );
    expect(headers).toMatchObject({ 'content-encoding': 'br', vary: 'Accept-Encoding' });
    expect(brotliDecompressSync(body).toString()).toBe(LARGE);
    expect(body.length).toBeLessThan(LARGE.length / 10);
  });

  test('come as gzip to a client that takes no br, and as they are to one that takes neither', async () => {
    const json = `${url}/send?length=99999&type=json`;
    const { headers, body } = await look(json, 'gzip;q=0.5, br;q=0');
    expect(headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(body).toString()).toBe(LARGE);
    for (const encodings of ['', 'deflate', 'gzip;q=0', 'identity']) {
      const plain = await look(json, encodings);
      expect([plain.headers['content-encoding'], plain.body.toString()]).toEqual([
        undefined,
        LARGE,
      ]);
    }
  });

  test.each(['text/event-stream', 'image/png', 'application/fits', 'application/zip'])(
    'stay as they are where the type is %s',
    async (type) => {
      const sent = await look(`${url}/send?length=99999&type=${type}`);
      const streamed = await look(`${url}/stream?type=${type}`);
      for (const { headers, body } of [sent, streamed])
        expect([headers['content-encoding'], body.toString()]).toEqual([undefined, LARGE]);
    },
  );

  test('below 14 kB stay as they are, and say that others depend on the encoding', async () => {
    const { headers, body } = await look(`${url}/send?length=13999&type=json`);
    expect([headers['content-encoding'], body.length]).toEqual([undefined, 13_999]);
    expect(headers.vary).toBe('Accept-Encoding');
  });

  test('have a head that says so, too, and no other length than their own', async () => {
    const head = async (path: string): Promise<Headers> =>
      (await fetch(`${url}/${path}`, { method: 'HEAD' })).headers;
    for (const [length, said] of [
      [13_999, '13999'],
      [99_999, null],
    ]) {
      const headers = await head(`send?length=${length}&type=json`);
      expect([headers.get('vary'), headers.get('content-length')]).toEqual([
        'Accept-Encoding',
        said,
      ]);
    }
    const [file, version] = [await head('file/stdout.txt'), await head('version')];
    expect([file.get('accept-ranges'), file.get('content-length')]).toEqual([null, null]);
    expect(version.get('etag')).toBe((await look(`${url}/version`)).headers.etag);
    expect((await head('file/picture.png')).get('content-length')).toBe(String(LARGE.length));
  });

  test('that are streams are compressed, but not a log that somebody follows', async () => {
    const list = await look(`${url}/stream?type=application/json`);
    expect(brotliDecompressSync(list.body).toString()).toBe(LARGE);
    const log = await look(`${url}/stream?type=text/plain`);
    expect([log.headers['content-encoding'], log.body.toString()]).toEqual([undefined, LARGE]);
  });

  test('that are files: text and pages are compressed, pictures and parts are not', async () => {
    const page = await look(`${url}/file/page.html`);
    expect(brotliDecompressSync(page.body).toString()).toBe(LARGE);
    expect(page.headers['accept-ranges']).toBeUndefined();
    expect((await look(`${url}/file/stdout.txt`)).headers['content-encoding']).toBe('br');
    const picture = await look(`${url}/file/picture.png`);
    expect(picture.headers['content-encoding']).toBeUndefined();
    const part = await look(`${url}/file/page.html`, BOTH, { Range: 'bytes=0-19999' });
    expect([part.statusCode, part.headers['content-encoding'], part.body.length]).toEqual([
      206,
      undefined,
      20_000,
    ]);
  });

  test('stay as they are where a checksum of their bytes comes with them', async () => {
    const { headers, body } = await look(`${url}/digested`);
    expect([headers['content-encoding'], body.toString()]).toEqual([undefined, LARGE]);
  });

  test('have a weak tag when compressed, which saves the next answer all the same', async () => {
    const plain = await look(`${url}/version`, '');
    const dense = await look(`${url}/version`);
    expect(dense.headers.etag).toBe(`W/${plain.headers.etag}`);
    for (const tag of [plain.headers.etag, dense.headers.etag])
      for (const encodings of ['', BOTH])
        expect(
          (await look(`${url}/version`, encodings, { 'If-None-Match': tag ?? '' })).statusCode,
        ).toBe(304);
  });
});

describe('the service', () => {
  const service = serveTests(SMALL_SITE, SMALL_RULES);

  test('compresses its contract and the script of its page, and no answer to an ask', async () => {
    const [text, script] = await Promise.all(
      ['/openapi.yaml', '/docs/viewer.js'].map((path) => look(`${service.url}${path}`)),
    );
    for (const answer of [text, script]) expect(answer?.headers['content-encoding']).toBe('br');
    const answer = await look(
      `${service.url}/request`,
      BOTH,
      { 'Content-Type': 'application/json' },
      SMALL_ASK,
    );
    expect([answer.statusCode, answer.headers['content-encoding']]).toEqual([200, undefined]);
    expect(answer.body.toString()).toContain("result: 'YES'");
  });
});
