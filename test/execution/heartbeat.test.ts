import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { openEngineHealth } from '../../src/http/metrics/engine-health.ts';
import { sweep, unlockStrays } from '../../src/sweeper/sweep.ts';
import type { OfferId } from '../../src/words/ids.ts';
import { handOver } from '../../src/executor/handed-site.ts';
import { readSiteTexts } from '../../src/site/load.ts';
import { until } from '../cli/service-process.ts';
import { accept, placeOffers, TERMS, writeSites } from '../harness/book.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';
import { writeSite, type TestSite } from '../harness/site.ts';
import { startExecutor, type ExecutorProcess } from './executor-process.ts';

function place(runner: string, more: object): object {
  return {
    runner,
    'task-types': ['executable'],
    cores: 100,
    memory: '100GiB',
    scratch: '100GiB',
    ...more,
  };
}

describe('signs of life of executors', () => {
  let db: TestDatabase;
  let root: string;
  let site: TestSite;
  const executors: ExecutorProcess[] = [];
  const holders: Client[] = [];

  beforeAll(async () => {
    db = await openTestDatabase();
    await writeSites(db.database, { here: 100, away: 100 });
    root = mkdtempSync('/var/tmp/heartbeat-test-');
    chmodSync(root, 0o711);
    site = await writeSite(
      {
        rules: ['rules.yml'],
        destinations: {
          here: place('process', {}),
          away: place('container', {
            container: {
              socket: join(root, 'nobody.sock'),
              images: { executable: 'registry.example/tools:1' },
            },
          }),
        },
      },
      { destinations: { here: { runner: 'process' }, away: { runner: 'container' } } },
    );
    await handOver(db.database, await readSiteTexts(site.siteFile));
  });
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    for (const executor of executors.splice(0)) await executor.stop(signal);
  };
  afterEach(async () => {
    await Promise.all(holders.splice(0).map((holder) => holder.end()));
    await stop('SIGTERM');
  });
  afterAll(async () => {
    await db.close();
    await site.remove();
    rmSync(root, { recursive: true, force: true });
  });

  const start = async (host = 'one'): Promise<void> => {
    const executor = startExecutor(db, root, { EXECUTOR_HOST: host });
    executors.push(executor);
    await executor.ready();
  };
  const messagesOf = (job: OfferId) => db.database.$queryRaw<{ task: string; locked: boolean }[]>`
    SELECT m.task_identifier AS task, m.locked_by IS NOT NULL AS locked FROM graphile_worker.jobs m
    JOIN graphile_worker._private_jobs p USING (id)
    WHERE p.payload->>'job' = ${job}`;
  const waitingLooks = async (): Promise<number> => {
    const rows = await db.database.$queryRaw<object[]>`
      SELECT 1 FROM graphile_worker.jobs WHERE task_identifier = 'look'`;
    return rows.length;
  };
  const isThere = async (job: OfferId): Promise<boolean> =>
    (await db.database.job.count({ where: { id: job } })) > 0;

  /**
   * A destroyed job whose last record is locked by the test, and an executor that tries to remove
   * it.
   */
  const heldRemoval = async (): Promise<{
    readonly job: OfferId;
    readonly letGo: () => Promise<void>;
  }> => {
    const [job] = (await placeOffers(db.database, [{ destination: 'here', cores: 1 }])) ?? [];
    if (job === undefined) throw new Error('no offer');
    await accept(db.database, job, 'anonymous', { ...TERMS, start: 'CLIENT' });
    const holder = new Client({ connectionString: db.url });
    holders.push(holder);
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM job WHERE id = $1 FOR KEY SHARE', [job]);
    await db.database.$executeRaw`SELECT destroy_job(${job}::uuid)`;
    await until(
      'the message is locked',
      async () =>
        (await messagesOf(job)).some(({ task, locked }) => task === 'remove' && locked) ||
        undefined,
    );
    return { job, letGo: () => holder.end() };
  };

  test('the locks of a killed executor pass to another within seconds, and the queue drains', async () => {
    await start();
    const { job, letGo } = await heldRemoval();
    await stop('SIGKILL');
    await letGo();
    expect(await messagesOf(job)).toEqual([{ task: 'remove', locked: true }]);
    // Its lease is valid, and no other executor of its host knows better.
    expect((await sweep(db.database)).unlocked).toBe(0);
    await start();
    expect((await sweep(db.database)).unlocked).toBe(1);
    await until(
      'the message was taken again',
      async () => (await messagesOf(job)).length === 0 || undefined,
    );
    expect(await isThere(job)).toBe(false);
  });

  test('the same happens when no executor of its host comes, once its lease is over', async () => {
    await start('two');
    const { job, letGo } = await heldRemoval();
    await stop('SIGKILL');
    await letGo();
    await db.database
      .$executeRaw`UPDATE executor SET lease_until = clock_timestamp() - interval '1 s' WHERE host = 'two'`;
    expect((await sweep(db.database)).unlocked).toBe(1);
    await start('three');
    await until(
      'the message was taken again',
      async () => (await messagesOf(job)).length === 0 || undefined,
    );
    expect(await isThere(job)).toBe(false);
  });

  test('a live executor keeps its locks, however long it takes; abandoned ones are freed', async () => {
    await start();
    const { job, letGo } = await heldRemoval();
    const age = () =>
      db.database.$executeRaw`
          UPDATE graphile_worker._private_jobs SET locked_at = clock_timestamp() - interval '1 hour'
          WHERE locked_at IS NOT NULL`;
    await age();
    expect([(await sweep(db.database)).unlocked, await unlockStrays(db.database)]).toEqual([0, 0]);
    expect(await messagesOf(job)).toEqual([{ task: 'remove', locked: true }]);
    await stop('SIGKILL');
    await db.database.$executeRaw`DELETE FROM executor`;
    expect(await unlockStrays(db.database)).toBe(1);
    await letGo();
    await start();
    // A statement that the killed executor had sent may lock it once more; the sweeper comes again.
    await until('the message was taken again', async () => {
      await age();
      await unlockStrays(db.database);
      return (await messagesOf(job)).length === 0 || undefined;
    });
  });

  test('a message whose lock was committed without an answer is taken again', async () => {
    await start();
    const { job, letGo } = await heldRemoval();
    const age = "clock_timestamp() - interval '1 minute'";
    await db.database.$executeRawUnsafe(`
      SELECT graphile_worker.add_job('look', '{"destination": "nowhere"}',
        run_at => clock_timestamp() + interval '1 hour')`);
    // As if the same queue had locked it, and the answer was lost with a connection.
    await db.database.$executeRawUnsafe(`
      UPDATE graphile_worker._private_jobs SET run_at = ${age}, locked_at = ${age},
        locked_by = (SELECT locked_by FROM graphile_worker.jobs WHERE locked_by IS NOT NULL)`);
    await until('it was taken again', async () => (await waitingLooks()) === 0 || undefined);
    // The other is in its hands, however long.
    expect(await messagesOf(job)).toEqual([{ task: 'remove', locked: true }]);
    await letGo();
  });

  test('a message that a later one replaced goes with the executor that had it', async () => {
    await start();
    const { job, letGo } = await heldRemoval();
    await db.database
      .$executeRaw`SELECT send_to_executor('remove', ${job}::uuid, clock_timestamp() + interval '1 hour')`;
    expect(await messagesOf(job)).toHaveLength(2);
    await stop('SIGKILL');
    await letGo();
    await db.database
      .$executeRaw`UPDATE executor SET lease_until = clock_timestamp() - interval '1 s'`;
    expect((await sweep(db.database)).unlocked).toBe(1);
    expect(await messagesOf(job)).toEqual([{ task: 'remove', locked: false }]);
  });

  test('show which engines answer, and stop when an executor ends in order', async () => {
    await start();
    const health = openEngineHealth(
      db.database,
      (() => {
        let now = 0;
        return () => (now += 10_000);
      })(),
    );
    await until('both engines were asked', async () => (await health()).size === 2 || undefined);
    expect(await health()).toEqual(
      new Map([
        ['here', 'answers'],
        ['away', 'silent'],
      ]),
    );
    await stop('SIGTERM');
    expect(await health()).toEqual(new Map());
  });
});
