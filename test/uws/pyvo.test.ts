import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startWholeService, type WholeService } from '../harness/whole-service.ts';
import { pythonWithPyvo } from './python.ts';

const run = promisify(execFile);
const python = await pythonWithPyvo();
const SCRIPT = fileURLToPath(new URL('life-cycle.py', import.meta.url));

(python === undefined ? describe.skip : describe)('pyvo (skipped without a Python that has it: apt-get install python3-pyvo)', () => {
  let service: WholeService;
  beforeAll(async () => {
    service = await startWholeService({
      site: {
        rules: ['rules.yml'], offers: { duration: 'PT10M' },
        destinations: { a: { 'runner': 'process', 'task-types': ['executable'], 'cores': 16, 'memory': '64GiB', 'scratch': '800GiB' } },
      },
      rules: { destinations: { a: { runner: 'process' } } },
    });
  });
  afterAll(async () => {
    await service?.close();
  });

  /** An accepted offer for a command. */
  const accepted = async (command: readonly string[], start: 'auto' | 'client'): Promise<string> => {
    const headers = { 'Content-Type': 'application/json', 'Accept': 'application/json' };
    const ask = { task: { type: 'https://www.purl.org/ivoa-net/task-type/executable', spec: { command } } };
    const { response: { offers: [{ ident, href }] } } = Object(await (await fetch(`${service.url}/request`, { method: 'POST', headers, body: JSON.stringify(ask) })).json());
    await fetch(href, { method: 'POST', headers, body: JSON.stringify({ status: 'ACCEPTED', start }) });
    return ident;
  };

  test('creates, sets, runs, waits, reads results, aborts, lists and deletes', async () => {
    const jobs = [
      await accepted(['echo', 'hello'], 'client'), await accepted(['sleep', '0.3'], 'auto'),
      await accepted(['sort', '/nowhere'], 'auto'), await accepted(['sleep', '15'], 'client'),
    ];
    const { stdout } = await run(python ?? '', [SCRIPT, service.url, ...jobs], { timeout: 110_000 });
    const [client, auto] = jobs;
    expect(JSON.parse(stdout)).toEqual({
      pyvo: expect.any(String),
      created: [client, 'PENDING', '1.1', true],
      settings: [15, true],
      phase: 'COMPLETED', results: ['stderr', 'stdout'], stdout: 'hello\n',
      auto: 'COMPLETED', failed: ['ERROR', 'DALQueryError'], aborted: 'ABORTED',
      list: [auto], all: 4, deleted: 404,
    });
  }, 120_000);
});
