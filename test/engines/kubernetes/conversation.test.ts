import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { fetchPart, fetchResult } from '../../../src/cli/conversation.ts';
import { startS3 } from '../../harness/s3.ts';
import type { WholeService } from '../../harness/whole-service.ts';
import { startEngineService } from '../engine-service.ts';
import { NAMESPACE } from './api-server.ts';
import { startTestCluster, type TestCluster } from './cluster.ts';
import { helmMissing, openCharts, type Charts } from './helm.ts';
import { IMAGE } from './node.ts';
import { needs } from '../packages.ts';
import { withEngine } from '../summary.ts';

const TYPE = 'https://www.purl.org/ivoa-net/task-type';
const JOB = `
apiVersion: batch/v1
kind: Job
metadata: { name: {{ .Release.Name }}-main }
spec:
  template:
    spec:
      containers:
      - { name: main, image: ${IMAGE}, command: [sh, -c, {{ .Values.script | quote }}] }
`;

withEngine(
  'a conversation about containers and charts, with the small API server of the tests',
  needs('bubblewrap', 'openssl') ?? helmMissing(),
  () => {
    let cluster: TestCluster;
    let charts: Charts;
    let s3: Awaited<ReturnType<typeof startS3>>;
    let service: WholeService;
    beforeAll(async () => {
      charts = openCharts();
      cluster = await startTestCluster();
      s3 = await startS3('data', 'managed');
      service = await startEngineService(
        {
          runner: 'kubernetes',
          parallel: true,
          'task-types': ['oci-container', 'helm-chart'],
          kubernetes: {
            kubeconfig: cluster.kubeconfig,
            namespace: NAMESPACE,
            claim: 'jobs',
            'claim-folder': 'jobs',
            pull: 'missing',
            charts: { helm: charts.helm },
          },
        },
        s3.account,
        {
          fetch: { registries: ['registry.test'], 'file-roots': [charts.folder] },
          jobsDirectory: cluster.jobsRoot,
        },
      );
    });
    afterAll(async () => {
      await service?.close();
      await s3?.close();
      await cluster?.close();
      charts?.remove();
    });

    const chart = (script: string): object => ({
      task: {
        type: `${TYPE}/helm-chart`,
        spec: { chart: charts.pack({ 'templates/job.yaml': JOB }), values: { script } },
      },
    });
    const container = (spec: object): object => ({
      task: { type: `${TYPE}/oci-container`, spec: { image: IMAGE, ...spec } },
    });

    test('a chart is asked for, offered as it was asked for, run, and its files are the results', async () => {
      const { answer, job, last, summary } = await service.run(chart('echo "1,2" > table.csv'));
      expect(answer).toMatch(/helm-chart[^]*values:\s+script:/);
      expect([last, summary]).toEqual(['COMPLETED', expect.stringContaining('id="table.csv"')]);
      expect(await fetchResult(job, 'table.csv')).toBe('1,2\n');
    });

    test('a chart whose Job fails ends in ERROR, and one that is not allowed is refused with the reason', async () => {
      const failed = await service.run(chart('exit 3'));
      expect([failed.last, await fetchPart(failed.job, 'error')]).toEqual([
        'ERROR',
        expect.stringMatching(/^task-failed: .*exit code 3/),
      ]);
      const spec = {
        chart: charts.pack({
          'templates/job.yaml': JOB.replace('containers:', 'hostNetwork: true\n      containers:'),
        }),
        values: { script: 'id' },
      };
      const refused = await service.run({ task: { type: `${TYPE}/helm-chart`, spec } });
      expect([refused.last, await fetchPart(refused.job, 'error')]).toEqual([
        'ERROR',
        expect.stringMatching(/^chart-refused: .*hostNetwork: a chart cannot say this here/),
      ]);
    });

    test('a container prints, and its output is a result', async () => {
      const { job, last } = await service.run(
        container({
          command: ['sh', '-c', 'echo "$GREETING"'],
          environment: { GREETING: 'hello' },
        }),
      );
      expect([last, await fetchResult(job, 'stdout')]).toEqual(['COMPLETED', 'hello\n']);
    });

    const machines = {
      resources: {
        compute: [{ replicas: 2, 'max-cores': 1, 'max-memory': '512MiB', 'min-memory': '512MiB' }],
      },
    };

    test('a parallel container starts once on all machines, and its files are the results', async () => {
      const script =
        'echo "$MACHINE_COUNT"; $MACHINE_SHELL 1 \'hostname > host.txt\'; cat "$MACHINE_HOST_FILE"';
      const { answer, job, last, summary } = await service.run({
        ...container({ entrypoint: ['sh'], command: ['-c', script], parallel: 'mpi' }),
        ...machines,
      });
      expect([answer, last, summary]).toEqual([
        expect.stringMatching(/parallel: mpi/),
        'COMPLETED',
        expect.stringContaining('id="host.txt"'),
      ]);
      const host = (await fetchResult(job, 'host.txt')).trim();
      expect(host).toMatch(/^planner-.*-1$/);
      const hosts = (await fetchResult(job, 'stdout')).split('\n');
      expect(hosts).toEqual(['2', expect.anything(), `${host}.${host.slice(0, -2)} slots=1`, '']);
    });

    test('a parallel container without an entry point is a NO with the reason', async () => {
      expect(
        await service.ask({ ...container({ command: ['id'], parallel: 'mpi' }), ...machines }),
      ).toMatch(/result: ["']?NO[^]*code: no-parallel-jobs[^]*name its entrypoint/);
    });

    test('an archive, a network and a task that it cannot run are a NO with the reason', async () => {
      expect(await service.ask(container({ image: `file://${charts.folder}/image.tar` }))).toMatch(
        /result: ["']?NO[^]*code: url-forbidden[^]*path: task\.spec\.image/,
      );
      expect(await service.ask(container({ network: 'outbound' }))).toMatch(
        /result: ["']?NO[^]*code: network-not-here/,
      );
      expect(
        await service.ask({ task: { type: `${TYPE}/executable`, spec: { command: ['id'] } } }),
      ).toMatch(/result: ["']?NO[^]*code: task-type-not-here/);
    });
  },
);
