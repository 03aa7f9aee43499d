import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kubernetesRunner } from '../../src/runners/kubernetes-runner.ts';
import type { ChartKind } from '../../src/runners/kubernetes/settings.ts';
import type { Outcome, Runner, Workload } from '../../src/runners/port.ts';
import { ended, until, workload } from '../runners/workloads.ts';
import { isAlive, startTestCluster, type TestCluster } from './kubernetes/cluster.ts';
import { helmMissing, openCharts, type Charts } from './kubernetes/helm.ts';
import { IMAGE } from './kubernetes/node.ts';
import { schemaProblem } from './kubernetes/schemas.ts';
import { textOf } from './kubernetes/store.ts';
import { install } from './packages.ts';
import { withEngine } from './summary.ts';

jest.setTimeout(60_000);

const JOB = `
apiVersion: batch/v1
kind: Job
metadata: { name: {{ .Release.Name }}-{{ .Values.name }}, labels: { app.kubernetes.io/managed-by: {{ .Release.Service }} } }
spec:
  template:
    spec:
      restartPolicy: Never
      serviceAccountName: ""
      nodeSelector: {}
      containers:
        - name: main
          image: {{ .Values.image }}
          command: [sh, -c, {{ .Values.script | quote }}]
          env: [{ name: GREETING, value: {{ .Values.greeting | quote }} }]
`;
const VALUES = `{ name: main, image: ${IMAGE}, script: 'echo "$GREETING from $PLANNER_JOB_ID"; echo 1 > one.txt', greeting: hello }`;

const SERVER = `
apiVersion: v1
kind: ConfigMap
metadata: { name: {{ .Release.Name }}-config }
data: { answer: "42" }
---
apiVersion: v1
kind: Service
metadata: { name: {{ .Release.Name }} }
spec: { ports: [{ port: 80 }], selector: { app: server } }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: {{ .Release.Name }}-server }
spec:
  replicas: 2
  selector: { matchLabels: { app: server } }
  template:
    metadata: { labels: { app: server } }
    spec: { containers: [{ name: server, image: {{ .Values.image }}, command: [sleep, "300"], resources: { limits: { cpu: 250m, memory: 64Mi } } }] }
`;

withEngine('helm charts against the small API server of the tests', install('bubblewrap', 'openssl') ?? helmMissing(), () => {
  let cluster: TestCluster;
  let charts: Charts;
  let runner: Runner;
  const opened: Runner[] = [];
  const open = (kinds: readonly ChartKind[] = ['Job', 'ConfigMap', 'Secret', 'Service', 'Deployment']): Runner => {
    const urls = { allowHosts: [], fileRoots: [charts.folder], registries: ['registry.test'] };
    const one = kubernetesRunner({ jobsRoot: cluster.jobsRoot, urls }, cluster.settings({ charts: { helm: charts.helm, kinds } }));
    opened.push(one);
    return one;
  };
  beforeAll(async () => {
    charts = openCharts();
    cluster = await startTestCluster();
    runner = open();
  });
  afterAll(async () => {
    for (const one of opened) await one.close();
    await cluster?.close();
    charts?.remove();
  });

  const work = (templates: Record<string, string>, values: Record<string, unknown> = {}, asked: Parameters<typeof workload>[1] = {}): Workload =>
    workload({ type: 'helm-chart', chart: { kind: 'url', url: charts.pack(templates, VALUES) }, values }, asked);
  const run = async (one: Workload, by = runner): Promise<Outcome> => {
    await by.submit(one);
    return ended(by, one.job);
  };
  const resultOf = ({ job }: Workload, { results }: Outcome, pattern: RegExp): string => {
    const result = results.find(({ id }) => pattern.test(id));
    return result === undefined ? `none of ${results.map(({ id }) => id).join()}` : readFileSync(join(cluster.jobsRoot, job, result.path), 'utf8');
  };

  test('a chart is rendered with the values of the task, its Job runs, and files and logs are the results', async () => {
    const one = work({ 'templates/job.yaml': JOB }, { greeting: '$(HOME) "ciao"' });
    const outcome = await run(one);
    expect(outcome).toMatchObject({ kind: 'completed' });
    expect(resultOf(one, outcome, /^one\.txt$/)).toBe('1\n');
    expect(resultOf(one, outcome, /^log-main-\w+-main$/)).toBe(`$(HOME) "ciao" from ${one.job}\n`);
    expect(cluster.store.list('jobs').concat(cluster.store.list('pods'))).toEqual([]);
  });

  test('the end of its Jobs is the end of the task: what serves them goes, and everything was valid by the published schemas', async () => {
    const made = cluster.server.received.length;
    const one = work({ 'templates/job.yaml': JOB, 'templates/server.yaml': SERVER }, {}, { cores: 1, memory: 512 });
    await runner.submit(one);
    expect(await ended(runner, one.job)).toMatchObject({ kind: 'completed' });
    const received = cluster.server.received.slice(made);
    expect(received.map(({ kind }) => kind)).toEqual(['NetworkPolicy', 'ConfigMap', 'Service', 'Deployment', 'Job']);
    for (const object of received) {
      expect(schemaProblem({ ...object, kind: textOf(object['kind']) })).toBeUndefined();
      expect(object).toMatchObject({ metadata: { namespace: 'vo-jobs', labels: { 'execution-planner.ivoa.net/job': one.job } } });
    }
    // What two servers state is taken from the offer, the rest is the Job's.
    expect(received[4]).toMatchObject({ spec: { template: { spec: { containers: [{ resources: { limits: { cpu: '500m', memory: '384Mi' } } }] } } } });
    for (const plural of ['deployments', 'services', 'configmaps', 'pods', 'networkpolicies']) expect(cluster.store.list(plural)).toEqual([]);
    expect(await isAlive(one.job)).toBe(false);
  });

  test('a Job that fails fails the task, after the retries of the chart', async () => {
    const retried = JOB.replace('spec:\n', 'spec:\n  backoffLimit: 1\n');
    const one = work({ 'templates/job.yaml': retried }, { script: 'echo try >> tries; exit 3' });
    const outcome = await run(one);
    expect(outcome).toMatchObject({ kind: 'failed', message: 'the task ended with exit code 3' });
    expect(resultOf(one, outcome, /^tries$/)).toBe('try\ntry\n');
  });

  test('a chart is stopped with everything it made, and when its duration is over', async () => {
    const script = 'echo begun > begun; sleep 300';
    const one = work({ 'templates/job.yaml': JOB, 'templates/server.yaml': SERVER }, { script });
    await runner.submit(one);
    await until(() => isAlive(one.job), 'the beginning');
    await runner.stop(one.job, 'cancelled');
    expect([await isAlive(one.job), cluster.store.list('pods')]).toEqual([false, []]);
    expect(await run(work({ 'templates/job.yaml': JOB }, { script }, { wallTime: 1 }))).toMatchObject({ kind: 'stopped', reason: 'wall-time' });
  });

  describe('a chart is refused, and nothing of it is made,', () => {
    const refused = async (templates: Record<string, string>, values: Record<string, unknown> = {}, by = runner): Promise<Outcome> => {
      const made = cluster.server.received.length;
      const outcome = await run(work(templates, values), by);
      expect(cluster.server.received).toHaveLength(made);
      expect(outcome).toMatchObject({ kind: 'failed', code: 'chart-refused', transient: false });
      return outcome;
    };

    test('when the destination does not allow one of its kinds', async () => {
      expect(await refused({ 'templates/job.yaml': JOB, 'templates/server.yaml': SERVER }, {}, open(['Job', 'ConfigMap', 'Service']))).toMatchObject({ message: 'Deployment: a chart may have Job, ConfigMap, Service here' });
      const role = 'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: { name: x }\n';
      expect(await refused({ 'templates/job.yaml': JOB, 'templates/role.yaml': role })).toMatchObject({ message: expect.stringMatching(/^ClusterRole: /) });
      const definition = 'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: { name: x.y }\n';
      expect(await refused({ 'templates/job.yaml': JOB, 'crds/x.yaml': definition })).toMatchObject({ message: expect.stringMatching(/^CustomResourceDefinition: /) });
    });

    test('when its image is from elsewhere', async () => {
      expect(await refused({ 'templates/job.yaml': JOB }, { image: 'docker.io/library/busybox:1' })).toMatchObject({ message: expect.stringContaining('takes no images from docker.io/library/busybox') });
    });

    test('when helm cannot render it, in the words of helm', async () => {
      expect(await refused({ 'templates/job.yaml': '{{ .Values.no.such }}' })).toMatchObject({ message: expect.stringContaining('helm does not render the chart') });
      expect(await refused({ 'templates/job.yaml': '{{ fail "needs a catalogue" }}' })).toMatchObject({ message: expect.stringContaining('needs a catalogue') });
    });

    test('when what it renders is endless or very long', async () => {
      const long = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: x }\ndata: { x: {{ repeat 5000000 "x" }} }\n';
      expect(await refused({ 'templates/long.yaml': long })).toMatchObject({ message: 'the rendered chart is longer than 4 MiB' });
      expect(await refused({ 'templates/_loop.tpl': '{{ define "loop" }}{{ include "loop" . }}{{ end }}', 'templates/job.yaml': '{{ include "loop" . }}' })).toMatchObject({ code: 'chart-refused' });
    });

    test('when it has no Job', async () => {
      expect(await refused({ 'templates/server.yaml': SERVER })).toMatchObject({ message: 'the chart: it has no Job, whose end would be the end of the task' });
    });
  });

  test('a rendering finds nothing of the service: no environment, no cluster, no names of hosts', async () => {
    process.env['CHART_SECRET'] = 'of the service';
    const templates = { 'templates/job.yaml': JOB.replace('.Values.greeting', '(printf "%v %v" (lookup "v1" "Secret" "" "") (getHostByName "localhost"))') };
    const one = work(templates);
    const outcome = await run(one);
    delete process.env['CHART_SECRET'];
    expect(resultOf(one, outcome, /^log-/)).toBe(`map[]  from ${one.job}\n`);
    const spying = { 'templates/job.yaml': JOB.replace('.Values.greeting', '(env "CHART_SECRET")') };
    expect(await run(work(spying))).toMatchObject({ kind: 'failed', code: 'chart-refused', message: expect.stringContaining('function "env" not defined') });
  });
});
