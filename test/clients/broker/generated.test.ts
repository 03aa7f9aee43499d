import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { withEngine } from '../../engines/summary.ts';
import { bundlePublished, publishedMissing } from '../../harness/broker/published.ts';
import { generateClient, missing } from '../generator.ts';
import { judgeAnswers, type WireAnswer } from './answers.ts';
import { CREDITS, expiredOffer, openStage, stageMissing, type Stage } from './stage.ts';

const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL('conversation.py', import.meta.url));

withEngine(
  'a Python client from openapi-generator and the published schema of the broker',
  publishedMissing ?? stageMissing() ?? missing(),
  () => {
    let stage: Stage;
    let folder: string;
    let python: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'broker-generated-'));
      const schema = join(folder, 'published.json');
      await writeFile(schema, JSON.stringify(bundlePublished()));
      python = await generateClient(schema, folder, 'broker_client');
      stage = await openStage();
    });
    afterAll(async () => {
      await stage?.close();
      await rm(folder, { recursive: true, force: true });
    });

    test('asks, accepts, follows, reads results, rejects, cancels and executes directly', async () => {
      const { service, image, notebook, stars } = stage;
      const expired = await expiredOffer(stage);
      const { stdout } = await run(
        python,
        [SCRIPT, service.url, image, notebook, stars, CREDITS, expired],
        { maxBuffer: 2 ** 26 },
      );
      const { seen, answers }: { seen: object; answers: readonly WireAnswer[] } =
        JSON.parse(stdout);
      expect(seen).toEqual({
        yes: ['YES', 'ScheduledExecutionSession', 'OFFERED', [['ACCEPTED', 'REJECTED']]],
        amounts: expect.not.arrayContaining([false]),
        memory: 1,
        schedule: 'PT5M',
        costs: [true],
        names: ['a container', 'a machine'],
        accepted: true,
        siblings: true,
        done: ['COMPLETED', [], 'hello world\n'],
        kept: 'COMPLETED',
        303: [303, true, 'YES'],
        rejected: ['REJECTED', []],
        illegal: [409, 'offer-state-conflict'],
        'no such value': [400, 'parameter-invalid'],
        expired: [410, 'offer-expired'],
        unknown: [404, 'offer-unknown'],
        running: ['RUNNING', [['CANCELLED']]],
        cancelled: 'CANCELLED',
        'cancelled at last': ['CANCELLED', []],
        no: ['NO', [], true],
        'too dear': 'NO',
        notebook: ['COMPLETED', '42\n'],
        failed: ['FAILED', [expect.stringMatching(/^task-failed: .*exit code 3/)]],
        'direct no': [400, 'FAILED', true],
        data: ['COMPLETED', 'Altair Deneb Vega\n', 'SimpleDataResource'],
      });
      expect(judgeAnswers(answers)).toEqual([]);
    });
  },
);
