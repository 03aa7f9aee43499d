import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createClaims, type Claims } from '../../src/executor/claims.ts';
import type { Executor } from '../../src/executor/executor.ts';
import { tidyLeft } from '../../src/executor/left-files.ts';
import { createKeeping, type ResultsRoom } from '../../src/executor/results-room.ts';
import { processRunner } from '../../src/runners/process-runner.ts';
import type { Runner } from '../../src/runners/port.ts';
import { jobRunner } from '../../src/runners/machines/runner.ts';
import { runnersOf } from '../../src/runners/registry.ts';
import type { JobId } from '../../src/words/ids.ts';
import { until } from '../cli/service-process.ts';
import { writeSites } from '../harness/book.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';
import { acceptedScript, executorHere, NO_URLS } from './executor.ts';

const HOME = { host: 'here' };

let db: TestDatabase;
let root: string;
let executor: Executor | undefined;
beforeAll(async () => {
  db = await openTestDatabase();
  await writeSites(db.database, { here: 100 });
  root = mkdtempSync('/var/tmp/ends-test-');
  chmodSync(root, 0o711);
});
afterEach(async () => {
  await executor?.close();
  executor = undefined;
});
afterAll(async () => {
  await db.close();
  rmSync(root, { recursive: true, force: true });
});

describe('a job ends', () => {
  test('whatever bytes it printed before it failed', async () => {
    const id = await acceptedScript(db.database, String.raw`printf 'a\000b' >&2; exit 3`);
    executor = executorOf();
    await executor?.execute(id);
    await over(id, 'FAILED');
    expect(Object(await errorOf(id)).detail).toContain('a\ufffdb');
  });

  test('whatever its engine tells of it', async () => {
    const [claims, ids] = [
      claimsHere(),
      [await acceptedScript(db.database, 'true'), await acceptedScript(db.database, 'true')],
    ];
    const half = `${'x'.repeat(499)}\u{1f600}`.slice(0, 500);
    for (const [n, id] of ids.entries()) {
      const { job } = await claims.take(id, false);
      expect(job).toBe(id);
      const claimed = { id, attempt: 1 };
      const fault = { code: 'runner-failed', type: 'fatal', message: half } as const;
      const path = n === 0 ? 'huge' : 'a\0b';
      const result = { id: 'r', path, mimeType: 'text/plain', size: 2 ** 63 };
      expect(await claims.finish(claimed, { state: 'FAILED', fault }, [result])).toBe(true);
    }
    const [kept, refused] = await Promise.all(ids.map(errorOf));
    expect(Object(kept).message).toBe(half.toWellFormed());
    expect(Object(refused).message).toContain('cannot be kept');
  });

  test('with the results of a hundred machines', async () => {
    const [claims, id] = [claimsHere(), await acceptedScript(db.database, 'true')];
    await claims.take(id, false);
    await claims.advance({ id, attempt: 1 }, 'RELEASING');
    const results = Array.from({ length: 40_000 }, (_, n) => ({
      id: `r${n}`,
      path: `p${n}`,
      mimeType: 'text/plain',
      size: 1,
    }));
    const ending = { state: 'COMPLETED', fault: null } as const;
    expect(await claims.finish({ id, attempt: 1 }, ending, results)).toBe(true);
    expect(await db.database.jobResult.count({ where: { jobId: id } })).toBe(40_000);
  });

  test('that was aborted while the database could not say whose it is', async () => {
    const id = await acceptedScript(db.database, 'true');
    const claims = claimsHere();
    const away = {
      ...claims,
      hold: () => Promise.reject(new Error('Connection terminated due to connection timeout')),
    };
    executor = executorOf({ claims: away });
    await executor?.execute(id);
    await db.database.$executeRaw`SELECT abort_job(${id}::uuid, NULL)`;
    expect(await over(id, 'CANCELLED')).toBe(true);
  });
});

test('a job of which another host doubted while its lease had lapsed is doubted no longer', async () => {
  const id = await acceptedScript(db.database, 'sleep 1000');
  executor = executorOf();
  await executor?.execute(id);
  await db.database.$executeRaw`
    UPDATE job SET lease_until = clock_timestamp() - interval '1 s' WHERE id = ${id}::uuid`;
  const other = createClaims(db.database, {
    executor: 'there:1:x',
    home: { host: 'there' },
    leaseSeconds: 60,
  });
  expect((await other.take(id, false)).verdict).toBe('elsewhere');
  expect(await shownOf(id)).toBe('UNKNOWN');
  await executor?.beat();
  expect(await shownOf(id)).toBe('RUNNING');
  await db.database.$executeRaw`SELECT abort_job(${id}::uuid, NULL)`;
  await over(id, 'CANCELLED');
});

test('an engine that does not answer keeps the beat of no other job waiting', async () => {
  const [silent, id] = [
    await acceptedScript(db.database, 'sleep 1000'),
    await acceptedScript(db.database, 'true'),
  ];
  const runner = processRunner({ jobsRoot: join(root, 'jobs'), urls: NO_URLS });
  const answer = Promise.withResolvers<void>();
  let isSilent = false;
  executor = executorOf({
    runner: {
      ...runner,
      look: async (job) => {
        if (job === silent && isSilent) await answer.promise;
        return runner.look(job);
      },
    },
  });
  await executor?.execute(silent);
  isSilent = true;
  await executor?.beat();
  await executor?.execute(id);
  await over(id, 'COMPLETED');
  await db.database.$executeRaw`SELECT abort_job(${silent}::uuid, NULL)`;
  answer.resolve();
  expect(await over(silent, 'CANCELLED')).toBe(true);
});

test('what a job left besides its results is removed though its executor died right after its end', async () => {
  const id = await acceptedScript(db.database, 'echo big > "$TMPDIR/big"; echo kept > kept');
  const jobs = join(root, 'jobs');
  const keeping = createKeeping(jobs);
  const dying = { ...keeping, tidy: () => new Promise<void>(() => {}) };
  executor = executorOf({ keeping: dying });
  await executor?.execute(id);
  await over(id, 'COMPLETED');
  const files = ['tmp/big', 'work/kept'].map((path) => join(jobs, id, path));
  await tidyLeft(db.database, jobs, keeping);
  expect(files.map((file) => existsSync(file))).toEqual([true, true]);
  await db.database
    .$executeRaw`UPDATE job SET ended_at = ended_at - interval '2 min' WHERE id = ${id}::uuid`;
  await tidyLeft(db.database, jobs, keeping);
  expect(files.map((file) => existsSync(file))).toEqual([false, true]);
});

function executorOf({
  claims = claimsHere(),
  runner = processRunner({ jobsRoot: join(root, 'jobs'), urls: NO_URLS }),
  keeping,
}: {
  readonly claims?: Claims;
  readonly runner?: Runner;
  readonly keeping?: ResultsRoom;
} = {}): Executor {
  return executorHere({
    claims,
    runners: runnersOf(new Map([['here', jobRunner(runner, join(root, 'jobs'))]])),
    ...(keeping && { keeping }),
  });
}

function claimsHere(): Claims {
  return createClaims(db.database, { executor: 'here:1:x', home: HOME, leaseSeconds: 60 });
}

function over(id: JobId, state: string): Promise<true> {
  return until(`the job is ${state}`, async () => {
    await executor?.beat();
    return (await shownOf(id)) === state || undefined;
  });
}

async function shownOf(id: JobId): Promise<string | undefined> {
  const [row] = await db.database.$queryRaw<{ state: string }[]>`
    SELECT shown_state(o.state, j.unknown_since) AS state FROM offer o JOIN job j USING (id)
    WHERE id = ${id}::uuid`;
  return row?.state;
}

async function errorOf(id: JobId): Promise<unknown> {
  return (await db.database.job.findUniqueOrThrow({ where: { id } })).error;
}
