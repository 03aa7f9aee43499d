import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startProxy, type Proxy } from '../../harness/proxy.ts';
import { openWorker, until, type Worker } from '../clients/worker.ts';

const CUT_MS = 300;

describe('a plain EventSource', () => {
  let worker: Worker;
  let proxy: Proxy;
  const statuses: number[] = [];
  beforeAll(async () => {
    worker = await openWorker();
    proxy = await startProxy(worker.jobs, {
      cutAfter: CUT_MS,
      seen: ({ status }) => statuses.push(status),
    });
  });
  afterAll(async () => {
    await proxy.close();
    await worker.close();
  });

  test('gets every line of a log once, over connections that break, and stops at its end', async () => {
    const id = await worker.start(await worker.job());
    const file = join(worker.resultsRoot, id, 'stdout');
    await mkdir(join(worker.resultsRoot, id));
    await writeFile(file, 'line 0\n');
    const path = new URL(worker.jobs).pathname;
    const source = new EventSource(`http://127.0.0.1:${proxy.port}${path}/${id}/results/stdout`);
    let text = '';
    let phase = '';
    source.addEventListener('message', ({ data }) => (text += data));
    source.addEventListener('end', (event) => (phase = Object(event).data));

    let written = 'line 0\n';
    for (let line = 1; statuses.length < 4; line += 1) {
      await appendFile(file, `line ${line}\n`);
      written += `line ${line}\n`;
      await until(() => text === written);
    }
    await worker.executor.advance(id, 'RELEASING');
    await worker.executor.finish(id, 'COMPLETED', null, [
      { id: 'stdout', path: 'stdout', mimeType: 'text/plain', size: written.length },
    ]);
    await until(() => phase === 'COMPLETED' && source.readyState === EventSource.CLOSED);
    expect(text).toBe(written);
    // It asks once more after the end; 204 tells it to stop.
    expect(statuses.at(-1)).toBe(204);
    expect(new Set(statuses.slice(0, -1))).toEqual(new Set([200]));
  });
});
