import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasEnvironment, readProcesses } from '../../../src/runners/process/supervise/processes.ts';
import type { KubernetesSettings } from '../../../src/runners/kubernetes/settings.ts';
import { kubernetesRunner } from '../../../src/runners/kubernetes-runner.ts';
import type { Runner } from '../../../src/runners/port.ts';
import { parseReference, type RegistryImage } from '../../../src/tasks/image.ts';
import { seconds } from '../../../src/words/units.ts';
import { kubernetesSettings } from '../../runners/kubernetes/settings.ts';
import { makeCertificates } from '../certificates.ts';
import { NAMESPACE, kubeconfigOf, startApiServer, type ApiServer } from './api-server.ts';
import { startControllers } from './controllers.ts';
import { JOB_LABEL } from '../../../src/runners/kubernetes/manifests/manifest.ts';
import { IMAGE, TestNode } from './node.ts';
import { Store } from './store.ts';
import type { ClusterSubject } from './subject.ts';

/**
 * A small API server with controllers and a node, all in this process; pods are processes of this
 * machine. It is not Kubernetes.
 */
export type TestCluster = Omit<ClusterSubject, 'refusingPods'> & {
  readonly folder: string;
  readonly kubeconfig: string;
  readonly store: Store;
  readonly server: ApiServer;
  readonly settings: (more?: Partial<KubernetesSettings>) => KubernetesSettings;
  /** @param room pods that are taken all the same */
  readonly refusingPods: (
    why: 'quota' | 'limits',
    during: () => Promise<void>,
    room?: number,
  ) => Promise<void>;
  readonly close: () => Promise<void>;
};

const PLURALS = [
  'jobs',
  'pods',
  'replicasets',
  'networkpolicies',
  'configmaps',
  'secrets',
  'services',
  'deployments',
];

export function imageOf(text: string): RegistryImage {
  const image = parseReference(text);
  if (image === undefined) throw new Error(`no reference: ${text}`);
  return image;
}

/** Settings of a site for the tests' cluster. */
export function settingsOf(
  kubeconfig: string,
  more: Partial<KubernetesSettings> = {},
): KubernetesSettings {
  return {
    ...kubernetesSettings(seconds(60)),
    kubeconfig,
    namespace: NAMESPACE,
    claim: { name: 'jobs', folder: 'jobs' },
    images: { executable: imageOf(IMAGE), 'python-program': imageOf(IMAGE) },
    ...more,
  };
}

/** Starts a cluster below one temporary directory; `close` ends it. */
export async function startTestCluster(): Promise<TestCluster> {
  const folder = mkdtempSync('/var/tmp/kubernetes-test-');
  chmodSync(folder, 0o711);
  for (const name of ['volume', 'logs']) mkdirSync(join(folder, name), { mode: 0o711 });
  const certificates = makeCertificates(folder);
  const store = new Store();
  const node = new TestNode(store, join(folder, 'volume'), join(folder, 'logs'));
  const controllers = startControllers(store);
  const server = await startApiServer(store, certificates, (pod, follow, answer) =>
    node.log(pod, follow, answer),
  );
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, kubeconfigOf(server.url, certificates), { mode: 0o600 });
  const jobsRoot = join(folder, 'volume', 'jobs');
  const settings: TestCluster['settings'] = (more) => settingsOf(kubeconfig, more);
  const runners: Runner[] = [];
  const labelled = (plural: string, job: string): readonly string[] =>
    store.list(plural, `${JOB_LABEL}=${job}`).map(({ metadata: { name } }) => name);
  return {
    folder,
    jobsRoot,
    kubeconfig,
    store,
    server,
    settings,
    isAlive,
    countsRemoved: true,
    image: IMAGE,
    noImage: 'registry.test/none:1',
    open: (more) => {
      const runner = kubernetesRunner(
        {
          jobsRoot,
          urls: { allowHosts: [], fileRoots: ['/var/tmp'], registries: ['registry.test'] },
        },
        settings(more),
      );
      runners.push(runner);
      return runner;
    },
    left: async (job) =>
      PLURALS.flatMap((plural) => labelled(plural, job).map((name) => `${plural}/${name}`)),
    refusingPods: async (why, during, room = 0) => {
      controllers.refusal = why;
      controllers.room = room;
      await during().finally(() => {
        controllers.refusal = undefined;
      });
    },
    drop: async (what, job) => labelled(what, job).forEach((name) => store.remove(what, name)),
    close: async () => {
      for (const runner of runners) await runner.close();
      controllers.close();
      await server.close();
      await node.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Does a process of the job run on this machine, the only node? */
export async function isAlive(job: string): Promise<boolean> {
  return readProcesses().some(({ pid }) => hasEnvironment(pid, `PLANNER_JOB_ID=${job}`));
}
