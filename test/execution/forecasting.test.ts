import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { forecastRound } from '../../src/executor/forecasting.ts';
import type { Runner } from '../../src/runners/port.ts';
import { jobRunner } from '../../src/runners/machines/runner.ts';
import { runnersOf } from '../../src/runners/registry.ts';
import { readForecasts } from '../../src/schedule/forecasts.ts';
import { readSite } from '../../src/site/read.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';

const HOUR = 3_600_000;

/**
 * test/engines/slurm/forecast.test.ts tests the engine's part; this file tests how its answers are
 * used.
 */
describe('forecasts of engines', () => {
  let db: TestDatabase;
  let asked = 0;
  let answer: () => Promise<number | undefined> = async () => undefined;

  beforeAll(async () => {
    db = await openTestDatabase();
  });
  afterAll(() => db.close());

  const runner: Runner = {
    name: 'slurm',
    reach: 'anywhere',
    submit: async () => undefined,
    look: async () => ({ state: 'absent' }),
    stop: async () => undefined,
    remove: async () => undefined,
    forget: async () => undefined,
    onEnded: () => undefined,
    close: async () => undefined,
    predict: async () => {
      asked += 1;
      return answer();
    },
  };
  const siteWith = (every: string) => {
    const slurm = {
      partition: 'main',
      forecast: {
        every,
        shapes: [
          { cores: 2, memory: '4GiB', duration: 'PT1H' },
          { cores: 1, memory: '1GiB', duration: 'PT10M', gpus: { 'urn:gpu': 1 } },
        ],
      },
    };
    const reading = readSite(
      '/site.yml',
      JSON.stringify({
        rules: ['rules.yml'],
        destinations: {
          cluster: {
            runner: 'slurm',
            'task-types': ['executable'],
            cores: 8,
            memory: '8GiB',
            slurm,
          },
        },
      }),
    );
    if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
    return reading.site.destinations;
  };
  const round = (every: string): Promise<void> =>
    forecastRound({
      database: db.database,
      runners: runnersOf(new Map([['cluster', jobRunner(runner, '/nowhere')]])),
      destinations: siteWith(every),
      log: pino({ level: 'silent' }),
    });

  test('are requested by one of all executors in each interval', async () => {
    answer = async () => Date.now() + HOUR;
    await Promise.all([round('PT1H'), round('PT1H'), round('PT1H')]);
    expect(asked).toBe(2);
    await round('PT1H');
    expect(asked).toBe(2);
  });

  test('are what planners read, in the time of the database', async () => {
    const [{ now } = { now: 0 }] = await db.database.$queryRaw<
      { now: number }[]
    >`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`;
    const found = (await readForecasts(db.database)).get('cluster');
    expect(found).toEqual([
      expect.objectContaining({
        amount: { cores: 2000, memory: 4096, gpus: undefined },
        duration: 3600,
      }),
      expect.objectContaining({
        amount: { cores: 1000, memory: 1024, gpus: { type: 'urn:gpu', count: 1 } },
        duration: 600,
      }),
    ]);
    for (const { startsAt } of found ?? [])
      expect(Math.abs(startsAt - now - HOUR)).toBeLessThan(10 * 60_000);
  });

  test('stay for a while when the engine does not answer, and then expire', async () => {
    await db.database.$executeRaw`UPDATE duty SET done_at = '-infinity'`;
    answer = () => Promise.reject(new Error('nobody there'));
    await round('PT1H');
    expect((await readForecasts(db.database)).get('cluster')).toHaveLength(2);
    await db.database.$executeRaw`UPDATE forecast SET valid_until = clock_timestamp()`;
    expect((await readForecasts(db.database)).size).toBe(0);
  });
});
