import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCluster } from '../../../src/runners/kubernetes/cluster.ts';
import type { Happened } from '../../../src/runners/kubernetes/watch.ts';
import { runnerContract } from '../../runners/contract.ts';
import { ended, shell } from '../../runners/workloads.ts';
import { chartPromises } from './chart-promises.ts';
import { clusterPromises } from './promises.ts';
import { helmMissing } from './helm.ts';
import { openRealCluster, realClusterMissing, type RealCluster } from './real.ts';
import { documentedRules } from './role.ts';
import { withEngine } from '../summary.ts';

const PATIENCE_S = 120;

withEngine('kubernetes, a real cluster', realClusterMissing(), () => {
  let real: RealCluster;
  beforeAll(async () => {
    real = await openRealCluster();
  });
  afterAll(() => real?.close());

  runnerContract(
    'kubernetes',
    async () => ({
      jobsRoot: real.jobsRoot,
      open: () => real.open(),
      isAlive: real.isAlive,
      close: async () => undefined,
    }),
    { patience: PATIENCE_S, lateS: 15, cores: 1.5, letsGoLate: true },
  );
  clusterPromises(() => real, PATIENCE_S * 1000);

  withEngine('helm charts, a real cluster', realClusterMissing() ?? helmMissing(), () =>
    chartPromises(() => real, PATIENCE_S * 1000),
  );

  test('a hundred jobs at once all run once, and nothing of them is left', async () => {
    const runner = real.open();
    const works = Array.from({ length: 100 }, (_, index) =>
      shell(`echo ${index}; echo run >> count`, { cores: 0.05, memory: 16 }),
    );
    await Promise.all(works.map((work) => runner.submit(work)));
    for (const [index, { job }] of works.entries()) {
      expect(await ended(runner, job, 1_200_000)).toMatchObject({ kind: 'completed' });
      expect([
        readFileSync(join(real.jobsRoot, job, 'stdout'), 'utf8'),
        readFileSync(join(real.jobsRoot, job, 'work/count'), 'utf8'),
      ]).toEqual([`${index}\n`, 'run\n']);
      expect(await real.left(job)).toEqual([]);
    }
  }, 1_500_000);

  test('the account of the runner has the rights in the documentation and no others', async () => {
    const { AuthorizationV1Api, CoreV1Api, KubeConfig } = await import('@kubernetes/client-node');
    const account = new KubeConfig();
    account.loadFromFile(real.kubeconfig);
    const { status } = await account
      .makeApiClient(AuthorizationV1Api)
      .createSelfSubjectRulesReview({ body: { spec: { namespace: real.namespace } } });
    const own = (status?.resourceRules ?? []).filter(
      ({ apiGroups = [] }) =>
        !apiGroups.some(
          (group) => group === '*' || /^(authorization|authentication)\./.test(group),
        ),
    );
    const flat = (
      rules: readonly {
        groups: readonly string[];
        resources: readonly string[];
        verbs: readonly string[];
      }[],
    ): readonly string[] =>
      rules
        .flatMap(({ groups, resources, verbs }) =>
          groups.flatMap((group) =>
            resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource} ${group}`)),
          ),
        )
        .toSorted();
    expect(
      flat(
        own.map(({ apiGroups = [], resources = [], verbs }) => ({
          groups: apiGroups,
          resources,
          verbs,
        })),
      ),
    ).toEqual(flat(documentedRules()));
    await expect(
      account.makeApiClient(CoreV1Api).listNamespacedPod({ namespace: 'kube-system' }),
    ).rejects.toMatchObject({ code: 403 });
  });

  test('a watch from a forgotten version is stale, and one from now hears of changes', async () => {
    const cluster = await openCluster({
      kubeconfig: real.kubeconfig,
      context: undefined,
      namespace: real.namespace,
    });
    const heard: Happened[] = [];
    const controller = new AbortController();
    const forgotten = cluster
      .watch('pods', '1', (event) => void heard.push(event), controller.signal)
      .then(
        () => heard,
        (error: unknown) => error,
      );
    expect(await forgotten).toEqual([{ kind: 'stale' }]);
  });
});
