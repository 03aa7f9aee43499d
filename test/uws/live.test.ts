import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { appendFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { JobId } from '../../src/words/ids.ts';
import { openEvents } from '../../src/uws/live/events.ts';
import { openWorker, until, type Worker } from './clients/worker.ts';

let worker: Worker;
beforeAll(async () => {
  worker = await openWorker();
});
afterAll(() => worker.close());

/** A running job that has written some text. */
async function running(text: string): Promise<JobId> {
  const id = await worker.start(await worker.job());
  await mkdir(join(worker.resultsRoot, id));
  await writeFile(logOf(id), text);
  return id;
}

function logOf(id: string, name = 'stdout'): string {
  return join(worker.resultsRoot, id, name);
}

async function end(id: JobId, size: number): Promise<void> {
  await worker.executor.advance(id, 'RELEASING');
  await worker.executor.finish(id, 'COMPLETED', null, [
    { id: 'stdout', path: 'stdout', mimeType: 'text/plain; charset=utf-8', size },
  ]);
}

/** The text that has arrived so far, and whether the answer has ended. */
async function follow(id: string, headers: Record<string, string> = {}, name = 'stdout') {
  const response = await new Promise<IncomingMessage>((resolve) =>
    get(`${worker.jobs}/${id}/results/${name}`, { headers }, resolve),
  );
  let text = '';
  let ended = false;
  response
    .setEncoding('utf8')
    .on('data', (chunk) => (text += chunk))
    .on('close', () => (ended = true));
  return { response, text: () => text, ended: () => ended };
}

const EVENTS = { accept: 'text/event-stream' };

describe('stdout of a job that runs', () => {
  test('arrives as it is written, and ends with the job', async () => {
    const id = await running('one\n');
    const log = await follow(id);
    expect(log.response.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    await until(() => log.text() === 'one\n');
    await appendFile(logOf(id), 'two\n');
    await until(() => log.text() === 'one\ntwo\n');
    expect(log.ended()).toBe(false);
    await appendFile(logOf(id), 'last words');
    await end(id, 18);
    await until(log.ended);
    expect(log.text()).toBe('one\ntwo\nlast words');
    expect((await worker.ask(`/${id}/results/stdout`)).text).toBe('one\ntwo\nlast words');
  });

  test('is awaited while the job is queued, and is 404 for a job that cannot have any', async () => {
    const id = await worker.job();
    const log = await follow(id, {}, 'stderr');
    await worker.start(id);
    await mkdir(join(worker.resultsRoot, id));
    await writeFile(logOf(id, 'stderr'), 'warning');
    await until(() => log.text() === 'warning');
    await worker.executor.finish(id, 'FAILED');
    await until(log.ended);
    expect((await worker.ask(`/${await worker.job('CLIENT')}/results/stdout`)).status).toBe(404);
    expect((await worker.ask(`/${id}/results/stderr`)).status).toBe(404);
    expect((await worker.ask(`/${await worker.job()}/results/other`)).status).toBe(404);
  });

  test('is served in parts to range requests', async () => {
    const id = await running('0123456789');
    const part = async (range: string) => {
      const { status, headers, text } = await worker.ask(`/${id}/results/stdout`, {
        headers: { range },
      });
      return [status, headers.get('content-range'), text];
    };
    expect(await part('bytes=7-')).toEqual([206, 'bytes 7-9/*', '789']);
    expect(await part('bytes=-2')).toEqual([206, 'bytes 8-9/*', '89']);
    expect(await part('bytes=2-4')).toEqual([206, 'bytes 2-4/*', '234']);
    expect(await part('bytes=10-')).toEqual([416, 'bytes */10', '']);
    expect(await part('bytes=-1000000')).toEqual([206, 'bytes 0-9/*', '0123456789']);
    expect(await worker.ask(`/${id}/results/stdout`, { method: 'HEAD' })).toMatchObject({
      status: 200,
      text: '',
    });
  });

  test('has the same type for HEAD as for GET', async () => {
    const id = await running('x');
    const types: (readonly unknown[])[] = [];
    for (const accept of ['text/plain', 'text/event-stream', 'text/event-stream; charset=utf-8']) {
      const { response } = await follow(id, { accept });
      response.destroy();
      const init = { method: 'HEAD', headers: { accept } };
      const head = await worker.ask(`/${id}/results/stdout`, init);
      types.push([response.headers['content-type'], head.headers.get('content-type')]);
    }
    const [text, events] = ['text/plain; charset=utf-8', 'text/event-stream; charset=utf-8'];
    expect(types).toEqual([text, events, events].map((type) => [type, type]));
  });

  test('is closed when the client goes away', async () => {
    const id = await running('x');
    const log = await follow(id);
    await until(() => worker.waiters.size() === 1);
    log.response.destroy();
    await until(() => worker.waiters.size() === 0);
    expect(log.ended()).toBe(true);
  });

  test('ends with the credential of who follows it, while the job goes on', async () => {
    const id = await running('one\n');
    const over = Date.now() + 300;
    const credential = { 'x-user': 'admin', 'x-until': String(over) };
    const [text, events] = await Promise.all([
      follow(id, credential),
      follow(id, { ...credential, ...EVENTS }),
    ]);
    await until(() => text.ended() && events.ended());
    expect(Date.now()).toBeGreaterThanOrEqual(over);
    expect(text.text()).toBe('one\n');
    expect(events.text()).toBe('id: 4\ndata: one\ndata: \n\n');
  });

  test('is not the target of a symlink', async () => {
    const id = await running('');
    await writeFile(join(worker.resultsRoot, 'secret'), 'of the service');
    await symlink(join(worker.resultsRoot, 'secret'), logOf(id, 'stderr'));
    const log = await follow(id, {}, 'stderr');
    await end(id, 0);
    await until(log.ended);
    expect(log.text()).toBe('');
    const other = await running('');
    await symlink(join(worker.resultsRoot, 'secret'), logOf(other, 'stderr'));
    expect(
      (await worker.ask(`/${other}/results/stderr`, { headers: { range: 'bytes=0-' } })).text,
    ).not.toContain('service');
  });

  test('is for its owner only', async () => {
    const id = await running('x');
    expect((await worker.ask(`/${id}/results/stdout`, { as: 'mallory' })).status).toBe(403);
  });
});

describe('stdout as server-sent events', () => {
  test('keeps carriage returns in strings of JSON, for a client that asks for them', async () => {
    const id = await running('\r 10 %\r 50 %');
    const log = await follow(id, EVENTS, 'stdout?EVENTS=json');
    await until(() => log.text() === 'id: 12\ndata: "\\r 10 %\\r 50 %"\n\n');
    await appendFile(logOf(id), '\r\n"é"\n');
    await end(id, 19);
    await until(log.ended);
    expect(log.text()).toBe(
      'id: 12\ndata: "\\r 10 %\\r 50 %"\n\n' +
        'id: 19\ndata: "\\r\\n\\"é\\"\\n"\n\n' +
        'event: end\nid: 20\ndata: "COMPLETED"\n\n',
    );
    const { status } = await worker.ask(`/${id}/results/stdout?events=xml`, { headers: EVENTS });
    expect(status).toBe(400);
    const text = await worker.ask(`/${id}/results/stdout?events=text`, {
      headers: { ...EVENTS, 'last-event-id': '12' },
    });
    expect(text.text).toBe(
      'id: 19\ndata: \ndata: "é"\ndata: \n\nevent: end\nid: 20\ndata: COMPLETED\n\n',
    );
  });

  test('has in each event where to go on, and the phase at the end', async () => {
    const id = await running('a\nb\n');
    const log = await follow(id, EVENTS);
    expect(log.response.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    await until(() => log.text() === 'id: 4\ndata: a\ndata: b\ndata: \n\n');
    await appendFile(logOf(id), 'c');
    await end(id, 5);
    await until(log.ended);
    expect(log.text()).toBe(
      'id: 4\ndata: a\ndata: b\ndata: \n\nid: 5\ndata: c\n\nevent: end\nid: 6\ndata: COMPLETED\n\n',
    );
  });

  test('goes on after the last event that the client has, also when the job is over', async () => {
    const id = await running('0123456789');
    await end(id, 10);
    expect(
      (await worker.ask(`/${id}/results/stdout`, { headers: { ...EVENTS, 'last-event-id': '7' } }))
        .text,
    ).toBe('id: 10\ndata: 789\n\nevent: end\nid: 11\ndata: COMPLETED\n\n');
    const after = (place: string) =>
      worker.ask(`/${id}/results/stdout`, { headers: { ...EVENTS, 'last-event-id': place } });
    // Its connection broke before the end was told.
    expect((await after('10')).text).toBe('event: end\nid: 11\ndata: COMPLETED\n\n');
    // 204 tells an EventSource to stop.
    expect((await after('11')).status).toBe(204);
    expect((await after('x')).status).toBe(400);
  });

  test('of a log without a byte is its end, after which an EventSource stops, too', async () => {
    const id = await running('');
    await end(id, 0);
    const { text } = await worker.ask(`/${id}/results/stdout`, { headers: EVENTS });
    expect(text).toBe('event: end\nid: 1\ndata: COMPLETED\n\n');
    const headers = { ...EVENTS, 'last-event-id': '1' };
    expect((await worker.ask(`/${id}/results/stdout`, { headers })).status).toBe(204);
  });

  test('never splits a character, and takes every line end for one', () => {
    const bytes = Buffer.from('aé€😀\r\nb\rc');
    const events = openEvents(0);
    let text = '';
    for (const byte of bytes) text += events.data(Uint8Array.of(byte));
    const data = [...text.matchAll(/((?:data: .*\n)+)\n/g)]
      .map(([, lines = '']) => lines.replaceAll(/^data: /gm, '').slice(0, -1))
      .join('');
    expect(data).toBe('aé€😀\n\nb\nc');
    expect(text).not.toContain('\uFFFD');
    expect(events.end('COMPLETED')).toBe(
      `event: end\nid: ${bytes.length + 1}\ndata: COMPLETED\n\n`,
    );
    const broken = openEvents(3);
    expect(broken.data(Uint8Array.of(0x61, 0xe2, 0x82))).toBe('id: 4\ndata: a\n\n');
    expect(broken.end('ERROR')).toBe('id: 6\ndata: \uFFFD\n\nevent: end\nid: 7\ndata: ERROR\n\n');
  });
});

test('no answer was a server error', () => expect(worker.unexpected).toEqual([]));
