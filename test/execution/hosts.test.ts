import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { createClaims } from '../../src/executor/claims.ts';
import { createExecutor, type Executor } from '../../src/executor/executor.ts';
import { handOver } from '../../src/executor/handed-site.ts';
import { inheritRound } from '../../src/executor/inherited-files.ts';
import { nameOfDirectory } from '../../src/executor/reachable-jobs.ts';
import { readSiteTexts } from '../../src/site/load.ts';
import type { Runner } from '../../src/runners/port.ts';
import { hasEnvironment, readProcesses } from '../../src/runners/process/supervise/processes.ts';
import { processRunner } from '../../src/runners/process-runner.ts';
import { jobRunner } from '../../src/runners/machines/runner.ts';
import { runnersOf } from '../../src/runners/registry.ts';
import { createStager } from '../../src/storage/stager.ts';
import { sweep } from '../../src/sweeper/sweep.ts';
import type { OfferId } from '../../src/words/ids.ts';
import { until } from '../cli/service-process.ts';
import { accept, placeOffers, writeSites } from '../harness/book.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';
import { writeSite, type TestSite } from '../harness/site.ts';
import { startExecutor, type ExecutorProcess } from './executor-process.ts';

const NO_URLS = { allowHosts: [], fileRoots: [] };
const LEASE_S = 60;
const GRACE_S = 300;

function leftOf(job: string) {
  return readProcesses().filter(({ pid }) => hasEnvironment(pid, `PLANNER_JOB_ID=${job}`));
}

/** All hosts of these tests are this machine: each executor claims a host name. */
describe('executors of several hosts on one database', () => {
  let db: TestDatabase;
  let root: string;
  const executors: Executor[] = [];
  const processes: ExecutorProcess[] = [];
  let site: TestSite;

  beforeAll(async () => {
    db = await openTestDatabase();
    await writeSites(db.database, { here: 100 });
    root = mkdtempSync('/var/tmp/hosts-test-');
    chmodSync(root, 0o711);
    site = await writeSite(
      {
        rules: ['rules.yml'],
        destinations: {
          here: {
            runner: 'process',
            'task-types': ['executable'],
            cores: 100,
            memory: '100GiB',
            scratch: '100GiB',
          },
        },
      },
      { destinations: { here: { runner: 'process' } } },
    );
    await handOver(db.database, await readSiteTexts(site.siteFile));
  });
  afterEach(async () => {
    for (const one of processes.splice(0)) await one.stop();
    await Promise.all(executors.splice(0).map((executor) => executor.close()));
  });
  afterAll(async () => {
    await db.close();
    await site.remove();
    rmSync(root, { recursive: true, force: true });
  });

  const jobsOf = (name: string): string => join(root, name);
  /** A job that waits for the file `go` in its directory after its begin. */
  const accepted = async (): Promise<OfferId> => {
    const [id] = (await placeOffers(db.database, [{ destination: 'here', cores: 1 }])) ?? [];
    if (id === undefined) throw new Error('no offer');
    const task = {
      type: 'executable',
      command: ['/bin/sh', '-c', 'while [ ! -e go ]; do sleep 0.05; done; echo done'],
      environment: {},
    };
    await db.database.$executeRaw`
        UPDATE offer SET promise = jsonb_set(promise, '{task}', ${JSON.stringify(task)}::jsonb)
        WHERE id = ${id}::uuid`;
    await accept(db.database, id);
    return id;
  };
  const go = (directory: string, job: string): void =>
    writeFileSync(join(directory, job, 'work/go'), '');
  const jobOf = async (id: OfferId) => {
    const [row] = await db.database.$queryRaw<
      {
        state: string;
        attempt: number;
        executor: string;
        error: { code: string; message: string } | null;
      }[]
    >`
      SELECT state::text, attempt, executor, error FROM job JOIN offer USING (id) WHERE id = ${id}::uuid`;
    if (row === undefined) throw new Error('no job');
    return row;
  };
  /** Ends its executor's lease this many seconds ago. */
  const lapse = (id: OfferId, ago: number): Promise<number> =>
    db.database.$executeRaw`
        UPDATE job SET lease_until = clock_timestamp() - make_interval(secs => ${ago})
        WHERE id = ${id}::uuid`;
  const has = (id: OfferId, state: string): Promise<unknown> =>
    until(`the job is ${state}`, async () => (await jobOf(id)).state === state || undefined);

  const none = (what: string): Promise<unknown> =>
    until(
      what,
      async () =>
        (await db.database.$queryRaw<unknown[]>`SELECT FROM graphile_worker._private_jobs`)
          .length === 0 || undefined,
    );

  /**
   * An executor without a queue, whose heart beats only when the test calls it; without calls it
   * looks dead.
   */
  const open = (
    host: string,
    { jobs = host, reach = 'host' }: { jobs?: string; reach?: Runner['reach'] } = {},
  ) => {
    const jobsRoot = jobsOf(jobs);
    const runner = processRunner({ jobsRoot, urls: NO_URLS });
    const runners = runnersOf(new Map([['here', jobRunner({ ...runner, reach }, jobsRoot)]]));
    const home = {
      host,
      ...(reach === 'anywhere' && {
        shared: { home: nameOfDirectory(jobsRoot), destinations: runners.shared },
      }),
    };
    const claims = createClaims(db.database, {
      executor: `${host}:1:${executors.length}`,
      home,
      leaseSeconds: LEASE_S,
      graceSeconds: GRACE_S,
    });
    const executor = createExecutor({
      claims,
      runners,
      home,
      log: pino({ level: 'silent' }),
      stager: createStager({
        backends: new Map(),
        s3: new Map(),
        adapters: new Map(),
        urls: NO_URLS,
      }),
    });
    executors.push(executor);
    return executor;
  };

  const start = async (host: string): Promise<ExecutorProcess> => {
    const one = startExecutor(db, root, { JOBS_DIR: jobsOf(host), EXECUTOR_HOST: host });
    processes.push(one);
    await one.ready();
    return one;
  };

  test('kill -9 of one: other hosts leave its jobs alone, and it goes on with them when it restarts', async () => {
    const first = await start('one');
    const job = await accepted();
    await has(job, 'RUNNING');
    await none('the first message is done with');
    await first.stop('SIGKILL');
    await start('two');
    await lapse(job, 1);
    expect((await sweep(db.database)).nudged).toBe(1);
    // The only executor takes the message.
    await none('the message was taken');
    expect(await jobOf(job)).toMatchObject({
      state: 'RUNNING',
      executor: expect.stringMatching(/^one:/),
    });
    await start('one');
    go(jobsOf('one'), job);
    await has(job, 'COMPLETED');
    expect(await jobOf(job)).toMatchObject({ attempt: 2, error: null });
  });

  test('one that ends in order hands its jobs back, and the next one of its host need not wait', async () => {
    const first = open('three');
    const job = await accepted();
    await first.execute(job);
    await first.close();
    const second = open('three');
    await second.beat();
    go(jobsOf('three'), job);
    await until('it is over', async () => {
      await second.beat();
      return (await jobOf(job)).state === 'COMPLETED' || undefined;
    });
    expect(await jobOf(job)).toMatchObject({
      attempt: 2,
      executor: expect.stringMatching(/^three:/),
    });
  });

  test('a job of a host that stays away ends with the reason, and is stopped when the host is back', async () => {
    const away = open('four');
    const other = open('five');
    const job = await accepted();
    await away.execute(job);
    await other.execute(job);
    expect(await jobOf(job)).toMatchObject({ state: 'RUNNING', executor: 'four:1:0' });
    await until('its processes run', () => leftOf(job).length > 0 || undefined);
    await lapse(job, GRACE_S + 1);
    await other.execute(job);
    expect(await jobOf(job)).toMatchObject({
      state: 'FAILED',
      error: {
        code: 'run-lost',
        message: expect.stringContaining('no executor of four came back to it'),
      },
    });
    expect(leftOf(job).length).toBeGreaterThan(0);
    const messages = await db.database.$queryRaw<
      { task: string }[]
    >`SELECT task_identifier AS task FROM graphile_worker.jobs WHERE key = ${`stop@four:${job}`}`;
    expect(messages).toEqual([{ task: 'stop@four' }]);
    await open('four').stop(job);
    expect(leftOf(job)).toEqual([]);
  });

  test('a job of a remote engine goes on only with executors that have its directory of jobs', async () => {
    const dead = open('six', { jobs: 'shared', reach: 'anywhere' });
    const stranger = open('seven', { jobs: 'other', reach: 'anywhere' });
    const heir = open('eight', { jobs: 'shared', reach: 'anywhere' });
    const job = await accepted();
    await dead.execute(job);
    await heir.beat();
    expect(await jobOf(job)).toMatchObject({
      state: 'RUNNING',
      executor: expect.stringMatching(/^six:/),
    });
    await lapse(job, 1);
    await stranger.beat();
    await stranger.execute(job);
    expect(await jobOf(job)).toMatchObject({ executor: expect.stringMatching(/^six:/) });
    await heir.beat();
    await until(
      'it is taken over',
      async () => (await jobOf(job)).executor.startsWith('eight:') || undefined,
    );
    go(jobsOf('shared'), job);
    await until('it is over', async () => {
      await heir.beat();
      return (await jobOf(job)).state === 'COMPLETED' || undefined;
    });
    expect(await jobOf(job)).toMatchObject({ attempt: 2, error: null });
  });

  test('the host that has the files of a job removes them', async () => {
    const owner = open('nine');
    const other = open('ten');
    const job = await accepted();
    await owner.execute(job);
    go(jobsOf('nine'), job);
    await until('it is over', async () => {
      await owner.beat();
      return (await jobOf(job)).state === 'COMPLETED' || undefined;
    });
    await db.database.$executeRaw`SELECT destroy_job(${job}::uuid)`;
    await other.remove(job);
    expect(existsSync(join(jobsOf('nine'), job))).toBe(true);
    expect(
      await db.database.$queryRaw<
        unknown[]
      >`SELECT FROM graphile_worker.jobs WHERE task_identifier = 'remove@nine'`,
    ).toHaveLength(1);
    await owner.remove(job);
    expect(existsSync(join(jobsOf('nine'), job))).toBe(false);
    await expect(jobOf(job)).rejects.toThrow('no job');
  });

  test('files of a host that is gone are removed by a host with the same directory of jobs only', async () => {
    const owner = open('eleven', { jobs: 'same' });
    const job = await accepted();
    await owner.execute(job);
    go(jobsOf('same'), job);
    await until('it is over', async () => {
      await owner.beat();
      return (await jobOf(job)).state === 'COMPLETED' || undefined;
    });
    await db.database.$executeRaw`SELECT destroy_job(${job}::uuid)`;
    const heir = open('twelve', { jobs: 'same' });
    await heir.remove(job);
    const inherit = (host: string, jobs: string) =>
      inheritRound({
        database: db.database,
        home: { host },
        jobsRoot: jobsOf(jobs),
        log: pino({ level: 'silent' }),
      });
    const hostOf = async () =>
      (
        await db.database.$queryRaw<
          { host: string }[]
        >`SELECT host FROM job WHERE id = ${job}::uuid`
      )[0]?.host;
    // A host that was away briefly cleans up itself; jobs that may still run there keep their
    // files.
    await inherit('twelve', 'same');
    expect(await hostOf()).toBe('eleven');
    await db.database
      .$executeRaw`UPDATE graphile_worker._private_jobs SET run_at = run_at - interval '1 hour'`;
    await inherit('twelve', 'same');
    expect(await hostOf()).toBe('eleven');
    await db.database.$executeRaw`
        UPDATE job SET started_at = started_at - interval '1 hour', ended_at = ended_at - interval
          '1 hour' WHERE id = ${job}::uuid`;
    await inherit('thirteen', 'another');
    expect(await hostOf()).toBe('eleven');
    await db.database
      .$executeRaw`SELECT beat_executor('eleven:1:1', 'eleven', interval '1 minute', '{}', '{}')`;
    await inherit('twelve', 'same');
    expect(await hostOf()).toBe('eleven');
    await db.database.$executeRaw`DELETE FROM executor`;
    await inherit('twelve', 'same');
    expect(await hostOf()).toBe('twelve');
    expect(
      await db.database.$queryRaw<
        { task: string }[]
      >`SELECT task_identifier AS task FROM graphile_worker.jobs WHERE key LIKE ${`%:${job}`}`,
    ).toContainEqual({ task: 'remove@twelve' });
    await heir.remove(job);
    expect(existsSync(join(jobsOf('same'), job))).toBe(false);
    await expect(jobOf(job)).rejects.toThrow('no job');
  });
});
