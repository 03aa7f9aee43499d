import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { createClaims } from '../../src/executor/claims.ts';
import { handOver } from '../../src/executor/handed-site.ts';
import { readSiteTexts } from '../../src/site/load.ts';
import { sweep } from '../../src/sweeper/sweep.ts';
import type { OfferId } from '../../src/words/ids.ts';
import { until } from '../cli/service-process.ts';
import { accept, placeOffers, writeSites } from '../harness/book.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';
import { writeSite, type TestSite } from '../harness/site.ts';
import { startExecutor, type ExecutorProcess } from './executor-process.ts';

const BACKLOG = 500;
/** The engine runs all of these. */
const RUN = 100;

describe('accepted jobs that wait at one destination', () => {
  let db: TestDatabase;
  let root: string;
  let site: TestSite;
  const executors: ExecutorProcess[] = [];
  beforeAll(async () => {
    db = await openTestDatabase();
    root = mkdtempSync('/var/tmp/order-test-');
    chmodSync(root, 0o711);
    site = await writeSite(
      {
        rules: ['rules.yml'],
        destinations: {
          here: {
            runner: 'process',
            'task-types': ['executable'],
            cores: 2 * BACKLOG,
            memory: '2TiB',
            scratch: '20TiB',
          },
        },
      },
      { destinations: { here: { runner: 'process' } } },
    );
    await handOver(db.database, await readSiteTexts(site.siteFile));
  });
  afterEach(async () => {
    for (const executor of executors.splice(0)) await executor.stop();
    await db.database.$executeRaw`TRUNCATE ask CASCADE`;
    await db.database.$executeRaw`DELETE FROM graphile_worker._private_jobs`;
    await writeSites(db.database, { here: 2 * BACKLOG });
  });
  afterAll(async () => {
    await db.close();
    await site.remove();
    rmSync(root, { recursive: true, force: true });
  });

  const acceptOne = async (): Promise<OfferId> => {
    const [id] = (await placeOffers(db.database, [{ destination: 'here', cores: 1 }])) ?? [];
    if (id === undefined) throw new Error('no offer');
    await accept(db.database, id);
    return id;
  };
  /**
   * Accepted in order. The first half has waited for a minute, so the sweeper sends for it again.
   */
  const backlog = async (count: number): Promise<readonly OfferId[]> => {
    await writeSites(db.database, { here: 2 * BACKLOG });
    const ids: OfferId[] = [];
    while (ids.length < count) ids.push(await acceptOne());
    await db.database.$executeRaw`
      UPDATE offer SET starts_at = starts_at - interval '1 minute',
        decided_at = decided_at - interval '1 minute'
      WHERE id = ANY (${ids.slice(0, count / 2)}::uuid[])`;
    expect((await sweep(db.database)).nudged).toBeGreaterThan(0);
    return ids;
  };

  test(`start in the order of accept when they are ${BACKLOG}, whatever order messages come in`, async () => {
    const ids = await backlog(BACKLOG);
    const claims = createClaims(db.database, {
      executor: 'here:1:x',
      home: { host: 'here' },
      leaseSeconds: 60,
    });
    const begun: (string | null)[] = [];
    // The messages arrive in reverse, as after a nudge of all the others.
    for (const id of ids.toReversed()) begun.push((await claims.take(id, begun.includes(id))).job);
    expect(begun).toEqual(ids);
    expect(await claims.next('here')).toEqual({ job: null, verdict: 'none', destination: 'here' });
  });

  test('start in that order through the queue and two executors, while the sweeper repeats messages', async () => {
    const ids = await backlog(RUN);
    const begun: string[] = [];
    const ears = new Client({ connectionString: db.url });
    await ears.connect();
    // Notifications come in the order of commits.
    ears.on(
      'notification',
      ({ payload = '' }) =>
        void (payload.endsWith(' PREPARING') && begun.push(payload.split(' ')[0] ?? '')),
    );
    await ears.query('LISTEN session');
    for (const host of ['one', 'two'])
      executors.push(
        startExecutor(db, root, {
          JOBS_DIR: join(root, host),
          EXECUTOR_HOST: host,
          LOG_LEVEL: 'fatal',
        }),
      );
    await until('all have begun', async () => {
      await sweep(db.database);
      return begun.length >= RUN || undefined;
    });
    expect(begun).toEqual(ids);
    await until('all have run', async () => {
      const [row] = await db.database.$queryRaw<
        { n: number }[]
      >`SELECT count(*)::int AS n FROM offer WHERE state = 'COMPLETED'`;
      return row?.n === RUN || undefined;
    });
    await ears.end();
  });
});
