import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubernetesSettings } from '../../../src/runners/kubernetes/settings.ts';
import type { Outcome, Runner, Workload } from '../../../src/runners/port.ts';
import { ended, patiently, until, workload } from '../../runners/workloads.ts';
import { openCharts, type Charts } from './helm.ts';
import type { ClusterSubject } from './subject.ts';

/** A Job that runs a script from the values, in an image from the values. */
export const JOB = `
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-{{ .Values.name }}
  labels: { app.kubernetes.io/managed-by: {{ .Release.Service }} }
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
/** The chart's own values. */
export function valuesOf(image: string): string {
  return (
    `{ name: main, image: ${image}, script: 'echo "$GREETING from $PLANNER_JOB_ID"; echo 1 > ` +
    "one.txt', greeting: hello }"
  );
}

/** Two idle servers with a Service and a ConfigMap. */
export const SERVER = `
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
    spec:
      containers:
      - name: server
        image: {{ .Values.image }}
        command: [sleep, "300"]
        resources: { limits: { cpu: 250m, memory: 64Mi } }
`;

/** Charts of these templates at a destination that allows all known kinds. */
export type ChartWork = {
  readonly settings: Pick<KubernetesSettings, 'charts'>;
  readonly work: (
    templates: Record<string, string>,
    values?: Record<string, unknown>,
    asked?: Parameters<typeof workload>[1],
  ) => Workload;
};

export function chartWork({ helm, pack }: Charts, image: string): ChartWork {
  return {
    settings: { charts: { helm, kinds: ['Job', 'ConfigMap', 'Secret', 'Service', 'Deployment'] } },
    work: (templates, values = {}, asked = {}) =>
      workload(
        {
          type: 'helm-chart',
          chart: { kind: 'url', url: pack(templates, valuesOf(image)) },
          values,
        },
        asked,
      ),
  };
}

/** The text of the first result whose id matches this pattern. */
export function resultOf(
  { jobsRoot }: ClusterSubject,
  { job }: Workload,
  { results }: Outcome,
  pattern: RegExp,
): string {
  const result = results.find(({ id }) => pattern.test(id));
  return result === undefined
    ? `none of ${results.map(({ id }) => id).join()}`
    : readFileSync(join(jobsRoot, job, result.path), 'utf8');
}

/**
 * Promises of the runner about charts, for the tests' small API server and for a real cluster.
 *
 * @param patience milliseconds within which short jobs begin and end
 */
export function chartPromises(subjectOf: () => ClusterSubject, patience = 240_000): void {
  let subject: ClusterSubject;
  let charts: Charts;
  let runner: Runner;
  let work: ChartWork['work'];
  beforeAll(() => {
    [subject, charts] = [subjectOf(), openCharts()];
    const made = chartWork(charts, subject.image);
    [runner, work] = [subject.open(made.settings), made.work];
  });
  afterAll(() => charts?.remove());
  const run = async (one: Workload): Promise<Outcome> => {
    await runner.submit(one);
    return ended(runner, one.job, patience);
  };

  test("a chart is rendered with the task's values, its Job runs, and files and logs are results", async () => {
    const one = work({ 'templates/job.yaml': JOB }, { greeting: '$(HOME) "ciao"' });
    const outcome = await run(one);
    expect(outcome).toMatchObject({ kind: 'completed' });
    expect(resultOf(subject, one, outcome, /^one\.txt$/)).toBe('1\n');
    expect(resultOf(subject, one, outcome, /^log-main-\w+-main$/)).toBe(
      `$(HOME) "ciao" from ${one.job}\n`,
    );
    expect(await subject.left(one.job)).toEqual([]);
  });

  test('services of a chart end with its Jobs', async () => {
    const one = work(
      { 'templates/job.yaml': JOB, 'templates/server.yaml': SERVER },
      { script: 'sleep 2' },
      { cores: 1, memory: 512 },
    );
    expect(await run(one)).toMatchObject({ kind: 'completed' });
    expect([await subject.left(one.job), await subject.isAlive(one.job)]).toEqual([[], false]);
  });

  test('a Job that fails, after the retries of the chart, fails the task', async () => {
    const retried = JOB.replace('spec:\n', 'spec:\n  backoffLimit: 1\n');
    const one = work({ 'templates/job.yaml': retried }, { script: 'echo try >> tries; exit 3' });
    const outcome = await run(one);
    expect(outcome).toMatchObject({ kind: 'failed', message: 'the task ended with exit code 3' });
    expect(resultOf(subject, one, outcome, /^tries$/)).toBe('try\ntry\n');
  });

  test('a chart is stopped with everything it made, and when its duration is over', async () => {
    const script = 'echo begun > begun; sleep 300';
    const one = work({ 'templates/job.yaml': JOB, 'templates/server.yaml': SERVER }, { script });
    await runner.submit(one);
    await until(() => subject.isAlive(one.job), 'the beginning');
    await patiently(() => runner.stop(one.job, 'cancelled'), patience);
    expect([await subject.isAlive(one.job), await subject.left(one.job)]).toEqual([false, []]);
    expect(
      await run(work({ 'templates/job.yaml': JOB }, { script }, { wallTime: 1 })),
    ).toMatchObject({ kind: 'stopped', reason: 'wall-time' });
  });
}
