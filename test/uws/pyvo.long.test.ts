import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startWholeService, type WholeService } from '../harness/whole-service.ts';
import { processDestination } from '../harness/site.ts';
import { pythonWithPyvo } from './clients/python.ts';
import { VOTABLE } from './clients/votable.ts';

const run = promisify(execFile);
const python = await pythonWithPyvo();
const UPLOADS = fileURLToPath(new URL('clients/uploads.py', import.meta.url));
const SCRIPT = fileURLToPath(new URL('clients/life-cycle.py', import.meta.url));

(python === undefined ? describe.skip : describe)(
  'pyvo (skipped without a Python that has it: apt-get install python3-pyvo)',
  () => {
    let service: WholeService;
    beforeAll(async () => {
      service = await startWholeService({
        site: {
          rules: ['rules.yml'],
          offers: { duration: 'PT10M' },
          destinations: {
            a: processDestination({ cores: 16, memory: '64GiB', scratch: '800GiB' }),
          },
        },
        rules: { destinations: { a: { runner: 'process' } } },
      });
    });
    afterAll(async () => {
      await service?.close();
    });

    /** An accepted offer for a command. */
    const accepted = async (
      command: readonly string[],
      start: 'auto' | 'client',
    ): Promise<string> => {
      const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
      const ask = {
        task: { type: 'https://www.purl.org/ivoa-net/task-type/executable', spec: { command } },
      };
      const {
        response: {
          offers: [{ ident, href }],
        },
      } = Object(
        await (
          await fetch(`${service.url}/request`, {
            method: 'POST',
            headers,
            body: JSON.stringify(ask),
          })
        ).json(),
      );
      await fetch(href, {
        method: 'POST',
        headers,
        body: JSON.stringify({ status: 'ACCEPTED', start }),
      });
      return ident;
    };

    test('creates, runs, waits, reads results and the main table, aborts, lists and deletes', async () => {
      const jobs = [
        await accepted(['echo', 'hello'], 'client'),
        await accepted(['sleep', '0.3'], 'auto'),
        await accepted(['sort', '/nowhere'], 'auto'),
        await accepted(['sleep', '600'], 'client'),
        await accepted(['printf', '%s', VOTABLE], 'auto'),
      ];
      const { stdout } = await run(python ?? '', [SCRIPT, service.url, ...jobs], {
        timeout: 500_000,
      });
      const [client] = jobs;
      expect(JSON.parse(stdout)).toEqual({
        pyvo: expect.any(String),
        created: [client, 'PENDING', '1.1', true],
        settings: [15, true],
        phase: 'COMPLETED',
        results: ['result', 'stderr', 'stdout'],
        stdout: 'hello\n',
        auto: 'COMPLETED',
        failed: ['ERROR', 'DALQueryError'],
        aborted: 'ABORTED',
        table: [17.5, 21.25],
        list: [jobs.at(-1)],
        all: 5,
        deleted: 404,
      });
    });

    test('uploads a file as requests and pyvo do, and finds it by the name of its parameter', async () => {
      const job = await accepted(['true'], 'client');
      const { stdout } = await run(python ?? '', [UPLOADS, service.url, job], { timeout: 500_000 });
      const { shown, ...rest } = JSON.parse(stdout);
      expect(shown).toEqual(expect.arrayContaining(['Input', 'UPLOAD', 'mine']));
      expect(shown).not.toContain('p1');
      expect(rest).toEqual({
        byReference: ['REQUEST', 'Input', 'mine'],
        input: 'a,b\n1,2\n',
        upload: 'mine,param:mine',
        mine: true,
      });
    });
  },
);
