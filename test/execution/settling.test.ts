import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { createClaims, type Claims } from '../../src/executor/claims.ts';
import type { ClaimedAttempt } from '../../src/executor/claims/attempts.ts';
import type { Executor } from '../../src/executor/executor.ts';
import { processRunner } from '../../src/runners/process-runner.ts';
import type { Runner } from '../../src/runners/port.ts';
import type { JobId } from '../../src/words/ids.ts';
import type { RunId } from '../../src/words/run-id.ts';
import { jobRunner } from '../../src/runners/machines/runner.ts';
import { runnersOf } from '../../src/runners/registry.ts';
import { until } from '../cli/service-process.ts';
import { writeSites } from '../harness/book.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';
import { acceptedScript, executorHere, NO_URLS } from './executor.ts';

const HOME = { host: 'here' };

let db: TestDatabase;
let root: string;
let executor: Executor;
/** What the log says of a job that is to be stopped. */
let warnings = 0;
beforeAll(async () => {
  db = await openTestDatabase();
  await writeSites(db.database, { here: 100 });
  root = mkdtempSync('/var/tmp/settling-test-');
  chmodSync(root, 0o711);
});
afterEach(() => executor.close());
afterAll(async () => {
  await db.close();
  rmSync(root, { recursive: true, force: true });
});

test('a job that ends while its executor looks at it is over before the next heartbeat', async () => {
  const id = await acceptedScript(db.database, 'while [ ! -e go ]; do sleep 0.05; done');
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
  executor = executorOf(slow, claimsHere());
  await executor.execute(id);
  await until('the job is over', async () => (await stateOf(id)) === 'COMPLETED' || undefined);
  expect(looks).toBe(2);
});

test('a job that is given to its engine while its executor looks at it is not taken for lost', async () => {
  const id = await acceptedScript(db.database, 'true');
  const runner = processRunner({ jobsRoot: join(root, 'jobs'), urls: NO_URLS });
  const looked = Promise.withResolvers<void>();
  const given = Promise.withResolvers<void>();
  let looks = 0;
  const slow: Runner = {
    ...runner,
    submit: async (workload) => {
      await looked.promise;
      await runner.submit(workload);
      given.resolve();
    },
    // The first answer is from before the job was given, and comes after it.
    look: async (job) => {
      const seen = await runner.look(job);
      looks += 1;
      if (looks > 1) return seen;
      looked.resolve();
      await given.promise;
      await setImmediate();
      return seen;
    },
  };
  executor = executorOf(slow, claimsHere());
  const executed = executor.execute(id);
  await until('it is looked at', async () => {
    await executor.beat();
    return looks > 0 || undefined;
  });
  await executed;
  await until('the job is over', async () => {
    await executor.beat();
    return ['COMPLETED', 'FAILED'].includes((await stateOf(id)) ?? '') || undefined;
  });
  expect(await stateOf(id)).toBe('COMPLETED');
});

test('a job waits for the database to say whose it is, and does not fail', async () => {
  const id = await acceptedScript(db.database, 'true');
  const claims = claimsHere();
  let isAway = true;
  const away = {
    ...claims,
    hold: (claimed: ClaimedAttempt) =>
      isAway
        ? Promise.reject(new Error('Connection terminated due to connection timeout'))
        : claims.hold(claimed),
  };
  executor = executorOf(processRunner({ jobsRoot: join(root, 'jobs'), urls: NO_URLS }), away);
  await executor.execute(id);
  await executor.beat();
  expect(await stateOf(id)).toBe('PREPARING');
  isAway = false;
  await until('the job is over', async () => {
    await executor.beat();
    return (await stateOf(id)) === 'COMPLETED' || undefined;
  });
});

describe('a job whose engine does not let go of it at once', () => {
  let stops: number;
  let refused: number;
  beforeEach(() => {
    [stops, refused, warnings] = [0, 1, 0];
  });
  /** Its first stops are refused. */
  const begin = async (
    more: (runner: Runner) => Partial<Runner> = () => ({}),
  ): Promise<{ id: JobId; isRunning: () => Promise<boolean> }> => {
    const id = await acceptedScript(db.database, 'sleep 1000');
    const runner = processRunner({ jobsRoot: join(root, 'jobs'), urls: NO_URLS });
    const slow: Runner = {
      ...runner,
      ...more(runner),
      stop: async (job, reason) => {
        stops += 1;
        if (stops <= refused) throw new Error(`it has not ended ${job} yet`);
        await runner.stop(job, reason);
      },
    };
    executor = executorOf(slow, claimsHere());
    await executor.execute(id);
    return { id, isRunning: async () => (await runner.look(id)).state === 'running' };
  };

  test('is stopped again by the next beat, and is not over before it has ended', async () => {
    const { id, isRunning } = await begin();
    await db.database.$executeRaw`SELECT abort_job(${id}::uuid, NULL)`;
    await executor.beat();
    expect([await stateOf(id), await isRunning()]).toEqual(['RUNNING', true]);
    await executor.beat();
    await until('nothing runs', async () => !(await isRunning()) || undefined);
    expect(stops).toBe(2);
    await until('the job is over', async () => (await stateOf(id)) === 'CANCELLED' || undefined);
  });

  test('is warned of once', async () => {
    refused = 3;
    const { id, isRunning } = await begin();
    await db.database.$executeRaw`SELECT abort_job(${id}::uuid, NULL)`;
    for (let beat = 0; beat <= refused; beat += 1) await executor.beat();
    await until('nothing runs', async () => !(await isRunning()) || undefined);
    expect(warnings).toBe(1);
  });

  test('does not run on when the engine says that it has nothing of it', async () => {
    const { id, isRunning } = await begin(() => ({
      look: () => Promise.resolve({ state: 'absent' }),
    }));
    expect([await stateOf(id), await isRunning()]).toEqual(['FAILED', true]);
    await executor.beat();
    await until('nothing runs', async () => !(await isRunning()) || undefined);
    expect(stops).toBe(2);
    await executor.beat();
    expect(stops).toBe(2);
  });

  test('does not run on when giving it to the engine failed halfway', async () => {
    const { id, isRunning } = await begin((runner) => ({
      submit: async (assignment) => {
        await runner.submit(assignment);
        throw new Error('the second machine cannot be begun');
      },
    }));
    expect([await stateOf(id), await isRunning()]).toEqual(['FAILED', true]);
    await executor.beat();
    await until('nothing runs', async () => !(await isRunning()) || undefined);
    expect(stops).toBe(2);
    await executor.beat();
    expect(stops).toBe(2);
  });

  test('does not run on when its end is in the book already', async () => {
    const { id, isRunning } = await begin();
    await db.database.$executeRaw`SELECT end_job(${id}::uuid, 'CANCELLED', NULL)`;
    await executor.beat();
    expect(await isRunning()).toBe(true);
    await executor.beat();
    await until('nothing runs', async () => !(await isRunning()) || undefined);
    expect(stops).toBe(2);
    await executor.beat();
    expect(stops).toBe(2);
  });
});

async function stateOf(id: JobId): Promise<string | undefined> {
  const [row] = await db.database.$queryRaw<
    { state: string }[]
  >`SELECT state::text FROM offer WHERE id = ${id}::uuid`;
  return row?.state;
}

function claimsHere(): Claims {
  return createClaims(db.database, { executor: 'here:1:1', home: HOME, leaseSeconds: 60 });
}

function executorOf(runner: Runner, claims: Claims): Executor {
  const log = pino({ level: 'warn' }, { write: warn });
  return executorHere({
    claims,
    log,
    runners: runnersOf(new Map([['here', jobRunner(runner, join(root, 'jobs'))]])),
  });
}

function warn(line: string): void {
  if (line.includes('has not ended yet"')) warnings += 1;
}
