import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { createClaims } from '../../src/executor/claims.ts';
import { createExecutor, type Executor } from '../../src/executor/executor.ts';
import { processRunner } from '../../src/runners/process-runner.ts';
import type { RunId } from '../../src/words/run-id.ts';
import { jobRunner } from '../../src/runners/machines/runner.ts';
import { runnersOf } from '../../src/runners/registry.ts';
import { createStager } from '../../src/storage/stager.ts';
import { until } from '../cli/service-process.ts';
import { accept, placeOffers, writeSites } from '../harness/book.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';

const NO_URLS = { allowHosts: [], fileRoots: [] };

let db: TestDatabase;
let root: string;
let executor: Executor;
beforeAll(async () => {
  db = await openTestDatabase();
  await writeSites(db.database, { here: 100 });
  root = mkdtempSync('/var/tmp/settling-test-');
  chmodSync(root, 0o711);
});
afterAll(async () => {
  await executor.close();
  await db.close();
  rmSync(root, { recursive: true, force: true });
});

test('a job that ends while its executor looks at it is over before the next heartbeat', async () => {
  const [id] = (await placeOffers(db.database, [{ destination: 'here', cores: 1 }])) ?? [];
  if (id === undefined) throw new Error('no offer');
  const task = {
    type: 'executable',
    command: ['/bin/sh', '-c', 'while [ ! -e go ]; do sleep 0.05; done'],
    environment: {},
  };
  await db.database.$executeRaw`
      UPDATE offer SET promise = jsonb_set(promise, '{task}', ${JSON.stringify(task)}::jsonb)
      WHERE id = ${id}::uuid`;
  await accept(db.database, id);

  const runner = processRunner({ jobsRoot: join(root, 'jobs'), urls: NO_URLS });
  const heard = new Promise<void>((resolve) => runner.onEnded(() => resolve()));
  let looks = 0;
  // The first look sees a running job, and answers only after the run is over and reported.
  const slow = {
    ...runner,
    look: async (job: RunId) => {
      const seen = await runner.look(job);
      looks += 1;
      if (looks > 1) return seen;
      writeFileSync(join(root, 'jobs', job, 'work/go'), '');
      await heard;
      return seen;
    },
  };
  const home = { host: 'here' };
  executor = createExecutor({
    claims: createClaims(db.database, { executor: 'here:1:1', home, leaseSeconds: 60 }),
    runners: runnersOf(new Map([['here', jobRunner(slow, join(root, 'jobs'))]])),
    home,
    log: pino({ level: 'silent' }),
    stager: createStager({
      backends: new Map(),
      s3: new Map(),
      adapters: new Map(),
      urls: NO_URLS,
    }),
  });
  await executor.execute(id);
  await until('the job is over', async () => {
    const [row] = await db.database.$queryRaw<
      { state: string }[]
    >`SELECT state::text FROM offer WHERE id = ${id}::uuid`;
    return row?.state === 'COMPLETED' || undefined;
  });
  expect(looks).toBe(2);
});
