import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { createClaims } from '../../src/executor/claims.ts';
import { createExecutor, type Executor } from '../../src/executor/executor.ts';
import { jobRunner } from '../../src/runners/machines/runner.ts';
import { processRunner } from '../../src/runners/process-runner.ts';
import { runnersOf } from '../../src/runners/registry.ts';
import { createStager } from '../../src/storage/stager.ts';
import type { JobId } from '../../src/words/ids.ts';
import { until } from '../cli/service-process.ts';
import { accept, placeOffers, writeSites } from '../harness/book.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';

const NO_URLS = { allowHosts: [], fileRoots: [] };
const ENDS = { true: 'COMPLETED', false: 'FAILED', sleep: 'CANCELLED' } as const;

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

let db: TestDatabase;
let root: string;
let executor: Executor;
/** The objects that the runner got for each job; the task is the executor's own. */
const given = new Map<JobId, readonly WeakRef<object>[]>();

beforeAll(async () => {
  db = await openTestDatabase();
  await writeSites(db.database, { here: 100 });
  root = mkdtempSync('/var/tmp/forgotten-test-');
  chmodSync(root, 0o711);
  const jobsRoot = join(root, 'jobs');
  const runner = jobRunner(processRunner({ jobsRoot, urls: NO_URLS }), jobsRoot);
  const seen: typeof runner = {
    ...runner,
    submit: (assignment) => {
      given.set(assignment.job, [new WeakRef(assignment), new WeakRef(assignment.task)]);
      return runner.submit(assignment);
    },
  };
  const home = { host: 'here' };
  executor = createExecutor({
    claims: createClaims(db.database, { executor: 'here:1:1', home, leaseSeconds: 600 }),
    runners: runnersOf(new Map([['here', seen]])),
    home,
    log: pino({ level: 'silent' }),
    stager: createStager({
      backends: new Map(),
      s3: new Map(),
      adapters: new Map(),
      urls: NO_URLS,
    }),
  });
});
afterAll(async () => {
  await executor.close();
  await db.close();
  rmSync(root, { recursive: true, force: true });
});

async function begin(program: keyof typeof ENDS): Promise<JobId> {
  const [id] = (await placeOffers(db.database, [{ destination: 'here', cores: 1 }])) ?? [];
  if (id === undefined) throw new Error('no offer');
  const task = {
    type: 'executable',
    command: ['/bin/sh', '-c', program === 'sleep' ? 'sleep 1000' : program],
    environment: {},
  };
  await db.database.$executeRaw`
      UPDATE offer SET promise = jsonb_set(promise, '{task}', ${JSON.stringify(task)}::jsonb)
      WHERE id = ${id}::uuid`;
  await accept(db.database, id);
  await executor.execute(id);
  return id;
}

test('an executor keeps nothing in memory of jobs that are over, however they ended', async () => {
  for (let round = 0; round < 2; round += 1) {
    await begin('true');
    await begin('false');
    await executor.abort(await begin('sleep'));
  }
  expect(given.size).toBe(6);
  const states = await until('all jobs are over', async () => {
    const rows = await db.database.$queryRaw<
      { state: string }[]
    >`SELECT state::text FROM offer JOIN job USING (id) WHERE ended_at IS NOT NULL`;
    return rows.length === given.size ? rows.map(({ state }) => state).toSorted() : undefined;
  });
  expect(states).toEqual(
    Object.values(ENDS)
      .flatMap((state) => Array.from({ length: 2 }, () => state))
      .toSorted(),
  );
  await executor.beat();
  const left = await until('all is forgotten', () => {
    collect();
    const kept = [...given.values()].flat().filter((ref) => ref.deref() !== undefined).length;
    return kept === 0 ? 'nothing' : undefined;
  });
  expect(left).toBe('nothing');
});
