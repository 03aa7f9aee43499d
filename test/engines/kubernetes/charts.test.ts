import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ChartKind } from '../../../src/runners/kubernetes/settings.ts';
import type { Outcome, Runner, Workload } from '../../../src/runners/port.ts';
import { ended } from '../../runners/workloads.ts';
import {
  chartPromises,
  chartWork,
  JOB,
  resultOf,
  SERVER,
  type ChartWork,
} from './chart-promises.ts';
import { startTestCluster, type TestCluster } from './cluster.ts';
import { helmMissing, openCharts, type Charts } from './helm.ts';
import { schemaProblem } from './schemas.ts';
import { textOf } from './store.ts';
import { needs } from '../packages.ts';
import { withEngine } from '../summary.ts';

withEngine(
  'helm charts against the small API server of the tests',
  needs('bubblewrap', 'openssl') ?? helmMissing(),
  () => {
    let cluster: TestCluster;
    let charts: Charts;
    let runner: Runner;
    let work: ChartWork['work'];
    const open = (kinds: readonly ChartKind[]): Runner =>
      cluster.open({ charts: { helm: charts.helm, kinds } });
    beforeAll(async () => {
      charts = openCharts();
      cluster = await startTestCluster();
      const made = chartWork(charts, cluster.image);
      [runner, work] = [cluster.open(made.settings), made.work];
    });
    afterAll(async () => {
      await cluster?.close();
      charts?.remove();
    });
    chartPromises(() => cluster);

    const run = async (one: Workload, by = runner): Promise<Outcome> => {
      await by.submit(one);
      return ended(by, one.job);
    };
    test('all objects of a chart are valid by the published schemas, with the offered amounts', async () => {
      const made = cluster.server.received.length;
      const one = work(
        { 'templates/job.yaml': JOB, 'templates/server.yaml': SERVER },
        {},
        { cores: 1, memory: 512 },
      );
      await runner.submit(one);
      expect(await ended(runner, one.job)).toMatchObject({ kind: 'completed' });
      const received = cluster.server.received.slice(made);
      expect(received.map(({ kind }) => kind)).toEqual([
        'NetworkPolicy',
        'ConfigMap',
        'Service',
        'Deployment',
        'Job',
      ]);
      for (const object of received) {
        expect(schemaProblem({ ...object, kind: textOf(object['kind']) })).toBeUndefined();
        expect(object).toMatchObject({
          metadata: { namespace: 'vo-jobs', labels: { 'execution-planner.ivoa.net/job': one.job } },
        });
      }
      // The requests of the two servers are subtracted from the offer; the rest is the Job's.
      expect(received[4]).toMatchObject({
        spec: {
          template: {
            spec: { containers: [{ resources: { limits: { cpu: '500m', memory: '384Mi' } } }] },
          },
        },
      });
    });

    describe('a chart is refused, and nothing of it is created,', () => {
      const refused = async (
        templates: Record<string, string>,
        values: Record<string, unknown> = {},
        by = runner,
      ): Promise<Outcome> => {
        const made = cluster.server.received.length;
        const outcome = await run(work(templates, values), by);
        expect(cluster.server.received).toHaveLength(made);
        expect(outcome).toMatchObject({ kind: 'failed', code: 'chart-refused', transient: false });
        return outcome;
      };

      test('when the destination does not allow one of its kinds', async () => {
        expect(
          await refused(
            { 'templates/job.yaml': JOB, 'templates/server.yaml': SERVER },
            {},
            open(['Job', 'ConfigMap', 'Service']),
          ),
        ).toMatchObject({ message: 'Deployment: a chart may have Job, ConfigMap, Service here' });
        const role =
          'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: { name: x }\n';
        expect(
          await refused({ 'templates/job.yaml': JOB, 'templates/role.yaml': role }),
        ).toMatchObject({ message: expect.stringMatching(/^ClusterRole: /) });
        const definition =
          'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: { name: x.y }\n';
        expect(
          await refused({ 'templates/job.yaml': JOB, 'crds/x.yaml': definition }),
        ).toMatchObject({ message: expect.stringMatching(/^CustomResourceDefinition: /) });
      });

      test('when its image is from elsewhere', async () => {
        expect(
          await refused({ 'templates/job.yaml': JOB }, { image: 'docker.io/library/busybox:1' }),
        ).toMatchObject({
          message: expect.stringContaining('takes no images from docker.io/library/busybox'),
        });
      });

      test('when helm cannot render it, in the words of helm', async () => {
        expect(await refused({ 'templates/job.yaml': '{{ .Values.no.such }}' })).toMatchObject({
          message: expect.stringContaining('helm does not render the chart'),
        });
        expect(
          await refused({ 'templates/job.yaml': '{{ fail "needs a catalogue" }}' }),
        ).toMatchObject({ message: expect.stringContaining('needs a catalogue') });
      });

      test('when its rendering never ends or is very long', async () => {
        const long =
          'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: x }\ndata: { x: {{ repeat 5000000 "x" }} }\n';
        expect(await refused({ 'templates/long.yaml': long })).toMatchObject({
          message: 'the rendered chart is longer than 4 MiB',
        });
        expect(
          await refused({
            'templates/_loop.tpl': '{{ define "loop" }}{{ include "loop" . }}{{ end }}',
            'templates/job.yaml': '{{ include "loop" . }}',
          }),
        ).toMatchObject({ code: 'chart-refused' });
      });

      test('when it has no Job', async () => {
        expect(await refused({ 'templates/server.yaml': SERVER })).toMatchObject({
          message: 'the chart: it has no Job, whose end would be the end of the task',
        });
      });
    });

    test('a rendering sees nothing of the service: no environment, no cluster, no host names', async () => {
      process.env['CHART_SECRET'] = 'of the service';
      const templates = {
        'templates/job.yaml': JOB.replace(
          '.Values.greeting',
          '(printf "%v %v" (lookup "v1" "Secret" "" "") (getHostByName "localhost"))',
        ),
      };
      const one = work(templates);
      const outcome = await run(one);
      delete process.env['CHART_SECRET'];
      expect(resultOf(cluster, one, outcome, /^log-/)).toBe(`map[]  from ${one.job}\n`);
      const spying = {
        'templates/job.yaml': JOB.replace('.Values.greeting', '(env "CHART_SECRET")'),
      };
      expect(await run(work(spying))).toMatchObject({
        kind: 'failed',
        code: 'chart-refused',
        message: expect.stringContaining('function "env" not defined'),
      });
    });
  },
);
