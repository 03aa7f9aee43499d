import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { EventEmitter } from 'node:events';
import { Client } from 'pg';
import { handOver } from '../../src/executor/handed-site.ts';
import { openEar } from '../../src/executor/queue-ear.ts';
import { readSiteTexts } from '../../src/site/load.ts';
import { until } from '../cli/service-process.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';
import { SMALL_RULES, SMALL_SITE, writeSite, type TestSite } from '../harness/site.ts';
import { removeRoot, temporaryRoot } from '../runners/workloads.ts';
import { startExecutor, type ExecutorProcess } from './executor-process.ts';

describe('an executor whose queue is deaf', () => {
  const root = temporaryRoot();
  let db: TestDatabase;
  let site: TestSite;
  let executor: ExecutorProcess | undefined;
  beforeAll(async () => {
    db = await openTestDatabase();
    site = await writeSite(SMALL_SITE, SMALL_RULES);
    await handOver(db.database, await readSiteTexts(site.siteFile));
  });
  afterAll(async () => {
    await executor?.stop('SIGKILL');
    await db.close();
    await site.remove();
    removeRoot(root);
  });

  test('ends, so that the next one begins jobs: its database went away during the first look', async () => {
    const holder = new Client({ connectionString: db.url });
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE graphile_worker._private_tasks');
    executor = startExecutor(db, root);
    await until('its connection is lost', async () => {
      const lost = await db.database.$queryRaw<object[]>`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
        AND wait_event_type = 'Lock' AND query LIKE '%_private_tasks%'`;
      return lost.length > 0 || undefined;
    });
    await holder.end();
    expect(await executor.ended).toEqual([0, null]);
    expect(executor.said()).toContain('the queue hears no messages although the database answers');
  });
});

describe('the ear of a queue', () => {
  const openAt = (isBusy = false) => {
    const events = new EventEmitter();
    const ear = openEar(events, () => isBusy);
    /** Signs of life until it counts as deaf, at most 100. */
    const signs = (between: (sign: number) => void = () => undefined): number => {
      for (let sign = 1; sign <= 100; sign += 1) {
        if (ear.missed()) return sign;
        between(sign);
      }
      return 100;
    };
    return { events, ear, signs };
  };

  test('counts as deaf after eleven signs of life without an answer of the database to the queue', () => {
    expect(openAt().signs()).toBe(11);
  });

  test.each(['worker:getJob:empty', 'job:start', 'job:complete'])('is open after %s', (event) => {
    const { events, signs } = openAt();
    expect(signs((sign) => sign === 7 && events.emit(event))).toBe(18);
  });

  test('is open while all workers have a message, and while the database does not answer', () => {
    expect(openAt(true).signs()).toBe(100);
    const { ear, signs } = openAt();
    expect(signs((sign) => sign % 8 === 0 && ear.excuse())).toBe(100);
  });
});
