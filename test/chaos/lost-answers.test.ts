import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { createClaims, type Claims } from '../../src/executor/claims.ts';
import { createExecutor, type Executor } from '../../src/executor/executor.ts';
import { createStager } from '../../src/storage/stager.ts';
import { buildRunners } from '../../src/runners/registry.ts';
import { sweep } from '../../src/sweeper/sweep.ts';
import type { JobId } from '../../src/words/ids.ts';
import { until } from '../cli/service-process.ts';
import { accept, peaks, placeOffers, writeSites } from '../harness/book.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';

const host = hostname();

describe('an answer of the database that is lost on its way', () => {
  let db: TestDatabase;
  let folder: string;
  const executors: Executor[] = [];
  beforeAll(async () => {
    db = await openTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'planner-lost-'));
    await chmod(folder, 0o755);
    await writeSites(db.database, { here: 100 });
  });
  afterAll(async () => {
    for (const executor of executors) await executor.close();
    await db.close();
    await rm(folder, { recursive: true, force: true });
  });

  const acceptedJob = async (): Promise<JobId> => {
    const [id] = (await placeOffers(db.database, [{ destination: 'here', cores: 1 }])) ?? [];
    if (id === undefined) throw new Error('no offer');
    await accept(db.database, id);
    return id;
  };
  const jobOf = async (id: JobId): Promise<{ state: string; error: unknown; attempt: number }> => {
    const [row] = await db.database.$queryRaw<{ state: string; error: unknown; attempt: number }[]>`
      SELECT state::text, error, attempt FROM job JOIN offer USING (id) WHERE id = ${id}::uuid`;
    if (row === undefined) throw new Error('no job');
    return row;
  };
  /**
   * The real executor with the real runner; each named statement succeeds once, but its answer is
   * lost.
   */
  const executorThatLoses = async (name: string, lost: Set<keyof Claims>): Promise<Executor> => {
    const claims = createClaims(db.database, {
      executor: `${host}:1:${name}`,
      home: { host },
      leaseSeconds: 60,
    });
    const losing =
      <Words extends readonly unknown[], Result>(
        statement: keyof Claims,
        call: (...words: Words) => Promise<Result>,
      ) =>
      async (...words: Words): Promise<Result> => {
        const answer = await call(...words);
        if (lost.delete(statement)) throw new Error('the connection was lost');
        return answer;
      };
    const executor = createExecutor({
      claims: {
        ...claims,
        take: losing('take', claims.take),
        read: losing('read', claims.read),
        advance: losing('advance', claims.advance),
        finish: losing('finish', claims.finish),
      },
      runners: await buildRunners(new Map([['d', { runner: 'process', python: undefined }]]), {
        jobsRoot: join(folder, 'jobs'),
        urls: { allowHosts: [], fileRoots: [] },
      }),
      stager: createStager({
        backends: new Map(),
        s3: new Map(),
        adapters: new Map(),
        urls: { allowHosts: [], fileRoots: [] },
      }),
      home: { host },
      log: pino({ level: 'silent' }),
    });
    executors.push(executor);
    return executor;
  };

  test.each(['take', 'read', 'advance'] as const)(
    'after %s, the repeated message takes the job up where it was, and runs it once',
    async (statement) => {
      const job = await acceptedJob();
      const executor = await executorThatLoses(statement, new Set([statement]));
      await expect(executor.execute(job)).rejects.toThrow('the connection was lost');
      await executor.execute(job);
      await until(
        'the job has ended',
        async () => (await jobOf(job)).state === 'COMPLETED' || undefined,
      );
      expect((await jobOf(job)).attempt).toBe(1);
    },
  );

  test('after finish, the next look finds the job over and leaves its record alone', async () => {
    const job = await acceptedJob();
    const executor = await executorThatLoses('finish', new Set(['finish']));
    // A job that ends at once is over when its begin looks at it.
    const lost = 'the connection was lost';
    expect(await executor.execute(job).then(() => lost, String)).toContain(lost);
    await until(
      'the job has ended',
      async () => (await jobOf(job)).state === 'COMPLETED' || undefined,
    );
    await executor.beat();
    expect(await jobOf(job)).toMatchObject({ state: 'COMPLETED', error: null });
  });

  test('a job that no executor came back to is lost an hour after its longest run', async () => {
    const job = await acceptedJob();
    await createClaims(db.database, {
      executor: `${host}:1:gone`,
      home: { host },
      leaseSeconds: 60,
    }).take(job, false);
    const before = (await peaks(db.database)).get('here');
    const age = (seconds: number): Promise<number> =>
      db.database.$executeRaw`
          UPDATE job SET lease_until = clock_timestamp() - make_interval(secs => ${seconds})
          WHERE id = ${job}::uuid`;
    await age(600 + 3500);
    expect(await sweep(db.database)).toMatchObject({ givenUp: 0 });
    await age(600 + 3700);
    expect(await sweep(db.database)).toMatchObject({ givenUp: 1 });
    expect(await jobOf(job)).toMatchObject({
      state: 'FAILED',
      error: { code: 'run-lost', message: expect.stringContaining('none came back') },
    });
    expect((await peaks(db.database)).get('here') ?? 0).toBe((before ?? 0) - 1);
  });

  test('a run whose job was ended without its executor is stopped by it', async () => {
    const job = await acceptedJob();
    await db.database.$executeRaw`
        UPDATE offer SET promise = jsonb_set(promise, '{task,command}', '["sleep", "600"]')
        WHERE id = ${job}::uuid`;
    const runners = await buildRunners(new Map([['d', { runner: 'process', python: undefined }]]), {
      jobsRoot: join(folder, 'jobs'),
      urls: { allowHosts: [], fileRoots: [] },
    });
    const executor = await executorThatLoses('late', new Set());
    await executor.execute(job);
    expect(await runners.byDestination.get('d')?.look(job)).toEqual({ state: 'running' });
    await db.database.$executeRaw`SELECT end_job(${job}::uuid, 'FAILED', NULL)`;
    await executor.beat();
    expect(await runners.byDestination.get('d')?.look(job)).toMatchObject({
      state: 'ended',
      outcome: { kind: 'stopped', reason: 'cancelled' },
    });
    for (const runner of runners.all) await runner.close();
  });
});
