import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { contentDisposition } from '../../../src/uws/print/results.ts';
import { openWorker, type Worker } from '../clients/worker.ts';

const WANTED = { 'want-repr-digest': 'sha-512=3, sha-256=1' };

let worker: Worker;
beforeAll(async () => {
  worker = await openWorker();
});
afterAll(() => worker.close());

/** A finished job with one result, at `path` below the job's directory. */
async function withResult(
  path: string,
  mimeType: string,
  text?: string,
  resultId = 'result',
): Promise<string> {
  const id = await worker.job();
  if (text !== undefined) await put(`${id}/${path}`, text);
  await worker.complete(id, [{ id: resultId, path, mimeType, size: text?.length ?? 0 }]);
  return `/${id}/results/${encodeURIComponent(resultId)}`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

async function put(place: string, text: string): Promise<void> {
  await mkdir(dirname(join(worker.resultsRoot, place)), { recursive: true });
  await writeFile(join(worker.resultsRoot, place), text);
}

describe('a result', () => {
  test('is served with its type and size, and shown in place when it is plain text', async () => {
    const { status, headers, text } = await worker.ask(
      await withResult('stdout', 'text/plain; charset=utf-8', 'hello\n'),
    );
    expect([status, text]).toEqual([200, 'hello\n']);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '6',
      'content-disposition': 'inline; filename="stdout"',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy':
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'",
    });
  });

  test.each(['image/svg+xml', 'application/xml', 'application/pdf', 'text/plainly'])(
    'that is %s is a download',
    async (mimeType) => {
      const { headers } = await worker.ask(await withResult('work/a b.x', mimeType, '<script>'));
      expect(headers.get('content-disposition')).toBe(
        `attachment; filename="a_b.x"; filename*=UTF-8''a%20b.x`,
      );
      expect(headers.get('content-type')).toContain(mimeType);
    },
  );

  test('with a malformed type is plain bytes', async () => {
    for (const mimeType of ['', 'nonsense', 'text/html\r\nSet-Cookie: a=b', 'text/plain; x="']) {
      const { headers } = await worker.ask(await withResult('out', mimeType, 'x'));
      expect([headers.get('content-type'), headers.get('set-cookie')]).toEqual([
        'application/octet-stream',
        null,
      ]);
    }
  });

  test.each([
    'work/a b#c%20?.txt',
    'work/.hidden/deep/é.txt',
    'work/..x',
    'work/a\\b',
    'work/%2e%2e',
  ])('may have the name %p', async (path) => {
    expect((await worker.ask(await withResult(path, 'text/plain', 'found', path))).text).toBe(
      'found',
    );
  });

  test('is served in parts to range requests', async () => {
    const url = await withResult('stdout', 'text/plain', '0123456789');
    const part = await worker.ask(url, { headers: { range: 'bytes=2-4' } });
    expect([part.status, part.text, part.headers.get('content-range')]).toEqual([
      206,
      '234',
      'bytes 2-4/10',
    ]);
    const beyond = await worker.ask(url, { headers: { range: 'bytes=20-' } });
    expect([beyond.status, beyond.text, beyond.headers.get('content-range')]).toEqual([
      416,
      '',
      'bytes */10',
    ]);
  });

  test('is all that there is, for the last bytes of a shorter file', async () => {
    const url = await withResult('stdout', 'text/plain', '0123456789');
    const part = await worker.ask(url, { headers: { range: 'bytes=-4000' } });
    expect([part.status, part.text, part.headers.get('content-range')]).toEqual([
      206,
      '0123456789',
      'bytes 0-9/10',
    ]);
  });

  test('answers HEAD with Range as without: only GET has parts', async () => {
    const { status, headers } = await worker.ask(
      await withResult('stdout', 'text/plain', '0123456789'),
      { method: 'HEAD', headers: { range: 'bytes=2-4' } },
    );
    expect([status, headers.get('content-length'), headers.get('content-range')]).toEqual([
      200,
      '10',
      null,
    ]);
  });

  test('is there for a client that wants it in any version, and not in a version that it names', async () => {
    const url = await withResult('stdout', 'text/plain', 'x');
    const get = (match: string) => worker.ask(url, { headers: { 'if-match': match } });
    expect(await get('*')).toMatchObject({ status: 200, text: 'x' });
    expect((await get('"1"')).status).toBe(412);
  });

  test('has the checksum of the whole file where a client wants it, and of the file as it is now', async () => {
    const url = await withResult('stdout', 'text/plain', 'hello\n');
    const digest = async (method: string, headers: Record<string, string> = WANTED) =>
      (await worker.ask(url, { method, headers })).headers.get('repr-digest');
    const hello = `sha-256=:${sha256('hello\n')}:`;
    expect(await digest('GET')).toBe(hello);
    expect(await digest('HEAD')).toBe(hello);
    expect(await digest('GET', { ...WANTED, range: 'bytes=2-' })).toBe(hello);
    expect(await digest('GET', { 'want-repr-digest': 'sha-256=0' })).toBeNull();
    await put(`${url.split('/')[1]}/stdout`, 'other text');
    expect(await digest('GET')).toBe(`sha-256=:${sha256('other text')}:`);
  });

  test('that is large has its checksum for HEAD, so that no GET waits for it', async () => {
    const large = 'x'.repeat(16 * 2 ** 20 + 1);
    const url = await withResult('stdout', 'text/plain', large);
    const [head, got] = [
      await worker.ask(url, { method: 'HEAD', headers: WANTED }),
      await worker.ask(url, { headers: { ...WANTED, range: 'bytes=0-0' } }),
    ];
    expect(head.headers.get('repr-digest')).toBe(`sha-256=:${sha256(large)}:`);
    expect(got.headers.get('repr-digest')).toBeNull();
  });

  test('answers HEAD with its size', async () => {
    const { status, headers, text } = await worker.ask(
      await withResult('stdout', 'text/plain', '12345'),
      { method: 'HEAD' },
    );
    expect([status, headers.get('content-length'), text]).toEqual([200, '5', '']);
  });

  test("is 404 when its file is gone, is a directory, or lies outside the job's directory", async () => {
    await put('secret', 'of the service');
    await put('directory/file', '');
    for (const path of ['missing', '../secret', '../../../../etc/passwd', '/etc/passwd', '', '.']) {
      expect(await worker.ask(await withResult(path, 'text/plain'))).toMatchObject({
        status: 404,
        text: expect.stringMatching(/^result-unknown: /),
      });
    }
  });

  test('is 404 when it or a directory above it became a symlink, wherever it leads', async () => {
    await put('secret', 'of the service');
    const toFile = await withResult('link', 'text/plain');
    await put(`${toFile.split('/')[1]}/real`, 'x');
    await symlink(
      join(worker.resultsRoot, 'secret'),
      join(worker.resultsRoot, toFile.split('/')[1] ?? '', 'link'),
    );
    const inside = await withResult('work/link', 'text/plain');
    await put(`${inside.split('/')[1]}/work/real`, 'x');
    await symlink('real', join(worker.resultsRoot, inside.split('/')[1] ?? '', 'work/link'));
    const above = await withResult('work/secret', 'text/plain');
    await put(`${above.split('/')[1]}/real`, 'x');
    await symlink(worker.resultsRoot, join(worker.resultsRoot, above.split('/')[1] ?? '', 'work'));
    const whole = await withResult('secret', 'text/plain');
    await symlink(worker.resultsRoot, join(worker.resultsRoot, whole.split('/')[1] ?? ''));
    for (const url of [toFile, inside, above, whole]) {
      const { status, text } = await worker.ask(url);
      expect([status, text]).toEqual([404, expect.stringMatching(/^result-unknown: /)]);
    }
  });

  test('with an unknown name is 404, whatever lies on the disk', async () => {
    const url = await withResult('stdout', 'text/plain', 'x');
    for (const name of ['stdout', '..%2fstdout', 'other', '%00'])
      expect((await worker.ask(url.replace(/result$/, name))).status).toBe(404);
  });
});

describe('the list of results', () => {
  test('is served while it is empty, and in the order in which the runner gave them', async () => {
    const id = await worker.job();
    expect((await worker.ask(`/${id}/results`)).text).toMatch(/<uws:results [^>]*\/>\n$/);
    await worker.complete(
      id,
      ['z', 'a', 'm'].map((name) => ({ id: name, path: name, mimeType: 'text/plain', size: 1 })),
    );
    expect(
      [...(await worker.ask(`/${id}/results`)).text.matchAll(/ id="(.)"/g)].map(
        (match) => match[1],
      ),
    ).toEqual(['z', 'a', 'm']);
  });
});

test('a file name cannot break out of its header', () => {
  expect(contentDisposition('image/svg+xml', 'a"\r\nb.html')).toBe(
    `attachment; filename="a___b.html"; filename*=UTF-8''a%22%0D%0Ab.html`,
  );
  expect(contentDisposition('image/svg+xml', "it's(1)*.html")).toBe(
    `attachment; filename="it_s_1__.html"; filename*=UTF-8''it%27s%281%29%2a.html`,
  );
  expect(contentDisposition('application/json', '\uD800.json')).toBe(
    `inline; filename="_.json"; filename*=UTF-8''%EF%BF%BD.json`,
  );
});

test('no answer was a server error', () => expect(worker.unexpected).toEqual([]));
