import { spawnSync } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { contractFaults } from '../../harness/contract.ts';
import { processDestination, tokenOf } from '../../harness/site.ts';
import { startWholeService, type WholeService } from '../../harness/whole-service.ts';
import {
  alertQueries,
  dashboardQueries,
  metricsIn,
  MONITORING,
} from '../../http/metrics/monitoring-files.ts';
import { freePort } from '../../harness/free-port.ts';
import { daemon, type Daemon } from '../daemon.ts';
import { needs } from '../packages.ts';

const missing = needs('prometheus');
const ASK = {
  task: {
    type: 'https://www.purl.org/ivoa-net/task-type/executable',
    spec: { command: ['echo', 'done'] },
  },
};

(missing === undefined ? describe : describe.skip)(
  `a real Prometheus and the files of docs/examples/monitoring (${missing ?? 'here'})`,
  () => {
    let folder: string;
    let service: WholeService;
    let prometheus: Daemon;
    let api: string;
    const ask = async (path: string): Promise<Record<string, unknown>> =>
      Object(await (await fetch(`${api}${path}`)).json());
    const query = async (expr: string): Promise<readonly unknown[]> => {
      const { status, error, data } = await ask(`/query?query=${encodeURIComponent(expr)}`);
      if (status !== 'success') throw new Error(`${expr}: ${String(error)}`);
      return Object(data).result;
    };
    const until = async (is: () => Promise<boolean>): Promise<void> => {
      for (let waited = 0; !(await is()); waited += 1) {
        if (waited > 1000) throw new Error('Prometheus does not see it');
        await delay(500);
      }
    };

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'planner-prometheus-'));
      await copyFile(`${MONITORING}alerts.yml`, join(folder, 'alerts.yml'));
      service = await startWholeService({
        site: {
          rules: ['rules.yml'],
          identity: {
            administrators: ['operators'],
            tokens: [tokenOf('op-token', { roles: ['operators'] })],
          },
          destinations: { here: processDestination() },
        },
        rules: { destinations: { here: { runner: 'process' } } },
      });
      const port = await freePort();
      api = `http://127.0.0.1:${port}/api/v1`;
      await writeFile(
        join(folder, 'prometheus.yml'),
        JSON.stringify({
          global: { scrape_interval: '1s', evaluation_interval: '1s' },
          rule_files: ['alerts.yml'],
          scrape_configs: [
            { job_name: 'planner', static_configs: [{ targets: [new URL(service.url).host] }] },
          ],
        }),
      );
      prometheus = await daemon(
        'prometheus',
        [
          `--config.file=${folder}/prometheus.yml`,
          `--storage.tsdb.path=${folder}/data`,
          `--web.listen-address=127.0.0.1:${port}`,
        ],
        {
          log: join(folder, 'log'),
          ready: async () =>
            (await fetch(`http://127.0.0.1:${port}/-/ready`).catch(() => undefined))?.ok === true,
        },
      );
    });
    afterAll(async () => {
      await prometheus?.stop();
      await service?.close();
      await rm(folder, { recursive: true, force: true });
    });

    test('the alert rules pass `promtool test rules`, and none is without a test', async () => {
      const tests = fileURLToPath(new URL('alerts.test.yml', import.meta.url));
      await copyFile(tests, join(folder, 'alerts.test.yml'));
      const { stdout, stderr, status } = spawnSync(
        'promtool',
        ['test', 'rules', join(folder, 'alerts.test.yml')],
        { encoding: 'utf8' },
      );
      expect({ stdout, stderr, status }).toMatchObject({ stderr: '', status: 0 });
      const { stdout: named } = spawnSync('grep', ['-o', 'alertname: [A-Za-z]*', tests], {
        encoding: 'utf8',
      });
      const tested = new Set(named.split('\n').map((line) => line.replace('alertname: ', '')));
      expect(alertQueries().filter(({ place }) => !tested.has(place))).toEqual([]);
    });

    test('it scrapes a running service and evaluates all rules, of which none fires', async () => {
      await until(async () => (await query('up{job="planner"} == 1')).length === 1);
      await until(async () => {
        const { data } = await ask('/rules');
        const [group] = Object(data).groups;
        return Object(group).rules.every(({ health }: { health: string }) => health === 'ok');
      });
      const { data } = await ask('/rules');
      expect(Object(data).groups[0].rules).toHaveLength(alertQueries().length);
      await until(async () => (await query('planner_executors_alive == 1')).length === 1);
      await until(async () => (await query('ALERTS{alertstate="firing"}')).length === 0);
    });

    test('it runs each query of the dashboard, and those of a job that ran have its numbers', async () => {
      await until(async () => (await query('planner_jobs_ended_total')).length === 0);
      const { last } = await service.run(ASK);
      expect(last).toBe('COMPLETED');
      await until(
        async () => (await query('planner_jobs_ended_total{state="COMPLETED"} == 1')).length === 1,
      );
      for (const { expr } of dashboardQueries()) await query(expr);
      const { data: names } = await ask('/label/__name__/values');
      const scraped = new Set(
        (Array.isArray(names) ? names : []).map((name) => String(name).replace(/_bucket$/, '')),
      );
      // A site without shared pools has none of these.
      const quiet = /^planner_(?:refusals_total|resource_pool_\w+|rule_requests)$/;
      const unseen = [...dashboardQueries(), ...alertQueries()]
        .flatMap(({ expr }) => metricsIn(expr))
        .filter((name) => !scraped.has(name) && !quiet.test(name));
      expect([...new Set(unseen)]).toEqual([]);
      expect(await query('planner_job_run_seconds_count{destination="here"}')).toMatchObject([
        { metric: { runner: 'process' }, value: [expect.any(Number), '1'] },
      ]);
      expect(await query('planner_engine_up{destination="here"} == 1')).toHaveLength(1);
    });

    test('an alert fires in it at once when more was reserved than there is', async () => {
      await service.db.database.$executeRaw`
        INSERT INTO oversell_trip (destination_id, resource, used, has)
        VALUES ('here', 'cores', 2, 1)`;
      const firing = 'ALERTS{alertname="PlannerOversold",alertstate="firing"}';
      await until(async () => (await query(firing)).length > 0);
      expect(await query(firing)).toMatchObject([{ metric: { severity: 'critical' } }]);
    });

    test('the overview has the rules in force, the parts, executors and engines of the same service', async () => {
      const response = await fetch(`${service.url}/overview`, {
        headers: { Authorization: 'Bearer op-token', Accept: 'application/json' },
      });
      const document: unknown = await response.json();
      expect(contractFaults('OverviewBody', document)).toEqual([]);
      expect(document).toMatchObject({
        overview: {
          destinations: [{ destination: 'here', engine: 'answers' }],
          executors: [{ alive: true, engines: [{ destination: 'here', answers: true }] }],
          parts: expect.arrayContaining([{ part: 'rules', state: 'ok', problems: [] }]),
          rules: {
            state: 'current',
            problems: [],
            files: [expect.stringMatching(/\/rules\.yml$/)],
            loaded: 0,
            refused: 0,
          },
          site: { file: expect.stringMatching(/\/site\.yml$/), problems: [] },
        },
      });
    });

    test('promtool finds no fault in the metrics of a service that ran a job', async () => {
      const input = await (await fetch(`${service.url}/metrics`)).text();
      expect(input).toMatch(/^planner_jobs_ended_total\{/m);
      const { stdout, stderr, status } = spawnSync('promtool', ['check', 'metrics'], {
        input,
        encoding: 'utf8',
      });
      expect({ stdout, stderr, status }).toEqual({ stdout: '', stderr: '', status: 0 });
    });
  },
);
