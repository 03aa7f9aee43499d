import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { withEngine } from '../engines/summary.ts';
import { startWholeService, type WholeService } from '../harness/whole-service.ts';
import { processDestination } from '../harness/site.ts';
import { generateClient, missing } from './generator.ts';

const run = promisify(execFile);
const EXECUTABLE = 'https://www.purl.org/ivoa-net/task-type/executable';
const SCRIPT = fileURLToPath(new URL('conversation.py', import.meta.url));

withEngine('a Python client from openapi-generator', missing(), () => {
  let service: WholeService;
  let folder: string;
  let python: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'planner-generated-'));
    service = await startWholeService({
      site: {
        rules: ['rules.yml'],
        destinations: { a: processDestination({ cores: 16, memory: '64GiB', scratch: '800GiB' }) },
      },
      rules: { destinations: { a: { runner: 'process' } } },
    });
    python = await generateClient(`${service.url}/openapi.yaml`, folder);
  });
  afterAll(async () => {
    await service?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('asks, reads YES, NO and dry runs, accepts, follows the job to its result, and reads problems', async () => {
    const { stdout } = await run(python, [SCRIPT, service.url, EXECUTABLE]);
    expect(JSON.parse(stdout)).toEqual({
      yes: 'AnswerYes',
      no: 'AnswerNo',
      'no in words': 'AnswerNo',
      'not understood': 'AnswerNo',
      'dry runs': ['DryRunYes', 'DryRunNo'],
      reason: ['above-capacity', 1000, 'resources.compute[0].min-cores'],
      'reason in words': ['above-capacity', '900000Gb'],
      accepted: 'ACCEPTED',
      job: ['COMPLETED', ['result', 'stdout', 'stderr'], 'hello\n'],
      list: [true],
      explained: 'YES',
      free: 'a',
      problem: [404, 'offer-unknown'],
    });
  });
});
