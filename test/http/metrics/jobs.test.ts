import { describe, expect, test } from '@jest/globals';
import { offersOf } from '../../harness/client.ts';
import { serveTests } from '../../harness/serve.ts';
import { gpusOf, processDestination, SMALL_ASK, tokenOf } from '../../harness/site.ts';

const GPU = 'https://example.org/gpu/a';

describe('/metrics', () => {
  const service = serveTests(
    {
      rules: ['rules.yml'],
      identity: { administrators: ['ops'], tokens: [tokenOf('op-token', { roles: ['ops'] })] },
      destinations: { a: processDestination({ cores: 64, ...gpusOf({ [GPU]: 2 }) }) },
    },
    { destinations: { a: { runner: 'process' } } },
  );
  const lines = async (name: string): Promise<readonly string[]> => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    return text.split('\n').filter((line) => line.startsWith(name));
  };
  const jobOf = async (): Promise<string> => {
    const [offer] = offersOf(await service.send('/request', { body: SMALL_ASK }));
    await service.send(offer?.href ?? '', { body: 'status: ACCEPTED' });
    return offer?.ident ?? '';
  };
  const begin = async (id: string, secondsAgo: number): Promise<void> => {
    const { database } = service.db;
    for (const state of ['WAITING', 'PREPARING', 'RUNNING'])
      await database.$executeRaw`
        UPDATE offer SET state = ${state}::session_state WHERE id = ${id}::uuid`;
    await database.$executeRaw`
      UPDATE job SET started_at = clock_timestamp() - make_interval(secs => ${secondsAgo}::float8)
      WHERE id = ${id}::uuid`;
  };
  const end = async (id: string, state: string): Promise<void> => {
    const { database } = service.db;
    await database.$executeRaw`UPDATE offer SET state = 'RELEASING' WHERE id = ${id}::uuid`;
    await database.$executeRaw`
      SELECT end_job(${id}::uuid, ${state}::session_state, NULL, NULL)::text`;
  };

  test('say what each destination has, what is reserved, what waits, and whether its engine answers', async () => {
    expect(await lines('planner_destination_capacity')).toEqual([
      'planner_destination_capacity{destination="a",resource="cores",unit="core"} 64',
      `planner_destination_capacity{destination="a",resource="memory",unit="byte"} ${8 * 2 ** 30}`,
      `planner_destination_capacity{destination="a",resource="scratch",unit="byte"} ${80 * 2 ** 30}`,
      'planner_destination_capacity{destination="a",resource="gpus",unit="gpu"} 2',
    ]);
    expect(await lines('planner_engine_up')).toEqual([]);
    const { database } = service.db;
    await database.$executeRaw`
      INSERT INTO executor (name, host, lease_until, workers, engines)
      VALUES ('one', 'host-1', clock_timestamp() + interval '1 minute', '{}', '{"a": false}')`;
    await jobOf();
    const [firm = ''] = await lines(
      'planner_destination_reserved{destination="a",resource="cores",unit="core",state="firm"}',
    );
    expect(Number(firm.split(' ').at(-1))).toBeGreaterThan(0);
    expect(await lines('planner_destination_jobs')).toEqual([
      'planner_destination_jobs{destination="a",state="pending"} 0',
      'planner_destination_jobs{destination="a",state="waiting"} 1',
      'planner_destination_jobs{destination="a",state="due"} 1',
      'planner_destination_jobs{destination="a",state="running"} 0',
    ]);
    expect(await lines('planner_executors_alive')).toEqual(['planner_executors_alive 1']);
    // Several scrapes share a reading of the engines for 2 s.
    await new Promise((resolve) => setTimeout(resolve, 2100));
    expect(await lines('planner_engine_up')).toEqual([
      'planner_engine_up{destination="a",runner="process"} 0',
    ]);
    await fetch(`${service.url}/destinations/a/drain`, {
      method: 'PUT',
      body: 'reason: New discs',
      headers: { Authorization: 'Bearer op-token', 'Content-Type': 'application/yaml' },
    });
    expect(await lines('planner_destination_drained')).toEqual([
      'planner_destination_drained{destination="a"} 1',
    ]);
    await fetch(`${service.url}/destinations/a/drain`, {
      method: 'DELETE',
      headers: { Authorization: 'Bearer op-token' },
    });
  });

  test('count each job once when it begins and once when it ends, by destination and runner', async () => {
    const labels = 'destination="a",runner="process"';
    const [first, second] = [await jobOf(), await jobOf()];
    await begin(first, 0);
    for (const _ of [1, 2])
      expect(await lines('planner_job_wait_seconds_count')).toEqual([
        `planner_job_wait_seconds_count{${labels}} 1`,
      ]);
    expect(await lines('planner_job_run_seconds_count')).toEqual([]);
    await begin(second, 0);
    await end(first, 'COMPLETED');
    await end(second, 'FAILED');
    for (const _ of [1, 2]) {
      expect(await lines('planner_job_wait_seconds_count')).toEqual([
        `planner_job_wait_seconds_count{${labels}} 2`,
      ]);
      expect(await lines('planner_job_late_seconds_count')).toEqual([
        `planner_job_late_seconds_count{${labels}} 2`,
      ]);
      expect(await lines('planner_job_run_seconds_count')).toEqual([
        `planner_job_run_seconds_count{${labels}} 2`,
      ]);
      expect(await lines('planner_jobs_ended_total')).toEqual([
        `planner_jobs_ended_total{${labels},state="COMPLETED"} 1`,
        `planner_jobs_ended_total{${labels},state="FAILED"} 1`,
      ]);
    }
  });

  test('have one label for all destinations that the site file no longer names', async () => {
    const { database } = service.db;
    const id = await jobOf();
    await database.$executeRaw`
      INSERT INTO destination (id, cores, memory_mib, scratch_mib, gpus, open)
      VALUES ('old', 64000, 81920, 81920, '{}', false)`;
    await database.$executeRaw`UPDATE offer SET destination_id = 'old' WHERE id = ${id}::uuid`;
    await begin(id, 0);
    expect(await lines('planner_job_wait_seconds_count{destination="(gone)"')).toEqual([
      'planner_job_wait_seconds_count{destination="(gone)",runner="process"} 1',
    ]);
    expect((await lines('planner_')).filter((line) => line.includes('"old"'))).toEqual([]);
  });

  test('have no number of jobs where they cannot be counted, though the database answers', async () => {
    expect(await lines('planner_jobs{')).not.toEqual([]);
    await service.db.database.$executeRaw`ALTER TABLE job RENAME TO away`;
    try {
      expect(await lines('planner_jobs{')).toEqual([]);
      expect(await lines('planner_database_up ')).toEqual(['planner_database_up 1']);
    } finally {
      await service.db.database.$executeRaw`ALTER TABLE away RENAME TO job`;
    }
    expect(await lines('planner_jobs{')).not.toEqual([]);
  });
});
