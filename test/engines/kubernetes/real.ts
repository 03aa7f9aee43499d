import type { KubeConfig } from '@kubernetes/client-node';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCluster } from '../../../src/runners/kubernetes/cluster.ts';
import {
  JOB_LABEL,
  KINDS,
  objectName,
} from '../../../src/runners/kubernetes/manifests/manifest.ts';
import type { KubernetesSettings } from '../../../src/runners/kubernetes/settings.ts';
import { kubernetesRunner } from '../../../src/runners/kubernetes-runner.ts';
import type { Runner } from '../../../src/runners/port.ts';
import { seconds } from '../../../src/words/units.ts';
import type { Missing } from '../packages.ts';
import { imageOf, settingsOf } from './cluster.ts';
import { documentedRules } from './role.ts';
import type { ClusterSubject } from './subject.ts';

/**
 * A real cluster is outside this repository; the environment names it (README.md in this folder).
 */
const {
  KUBECONFIG,
  KUBERNETES_TEST_JOBS,
  KUBERNETES_TEST_CLAIM = 'jobs',
  KUBERNETES_TEST_NAMESPACE = 'default',
  KUBERNETES_TEST_IMAGE = 'docker.io/library/busybox:1.37',
  KUBERNETES_TEST_PYTHON_IMAGE = 'docker.io/library/python:3.13-slim',
} = process.env;

/** Why no cluster is available. */
export function realClusterMissing(): Missing {
  if (KUBECONFIG === undefined) return 'KUBECONFIG names no cluster';
  return KUBERNETES_TEST_JOBS === undefined
    ? 'KUBERNETES_TEST_JOBS names no folder that is the volume of its claim'
    : undefined;
}

/**
 * A real cluster, in which the runner is a service account with only the Role of
 * docs/guides/runners/kubernetes.md.
 */
export type RealCluster = ClusterSubject & {
  readonly version: string;
  readonly namespace: string;
  readonly pythonImage: string;
  readonly claim: KubernetesSettings['claim'];
  /** of that account */
  readonly kubeconfig: string;
  /** the account of KUBECONFIG */
  readonly admin: KubeConfig;
  readonly urls: {
    readonly allowHosts: readonly string[];
    readonly fileRoots: readonly string[];
    readonly registries: readonly string[];
  };
  readonly close: () => Promise<void>;
};

const namespace = KUBERNETES_TEST_NAMESPACE;

/**
 * Opens the cluster of the environment; `close` removes everything that the tests made, and may be
 * called again.
 */
export async function openRealCluster(): Promise<RealCluster> {
  const { BatchV1Api, CoreV1Api, KubeConfig, KubernetesObjectApi, VersionApi } = await client();
  const admin = new KubeConfig();
  admin.loadFromFile(KUBECONFIG ?? '');
  const cluster = admin.getCurrentCluster();
  if (cluster === null) throw new Error('KUBECONFIG names no cluster');
  const { gitVersion, minor } = await admin.makeApiClient(VersionApi).getCode();
  const name = `planner-test-${randomBytes(4).toString('hex')}`;
  // A separate folder in the volume, so that runs do not meet.
  const jobsRoot = join(KUBERNETES_TEST_JOBS ?? '', name);
  mkdirSync(jobsRoot, { mode: 0o711 });
  const folder = mkdtempSync(join(tmpdir(), 'kubernetes-real-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const account = new KubeConfig();
  account.loadFromClusterAndUser(cluster, { name, token: await makeAccount(admin, name) });
  writeFileSync(kubeconfig, account.exportConfig(), { mode: 0o600 });
  const claim = { name: KUBERNETES_TEST_CLAIM, folder: name };
  const [image, pythonImage] = [KUBERNETES_TEST_IMAGE, KUBERNETES_TEST_PYTHON_IMAGE];
  const urls = {
    allowHosts: [],
    fileRoots: [tmpdir(), '/var/tmp'],
    registries: [imageOf(image).registry],
  };
  const settings: Partial<KubernetesSettings> = {
    namespace,
    claim,
    pullLimit: seconds(300),
    longestWait: seconds(1200),
    unreachableLimit: seconds(300),
    images: { executable: imageOf(image), 'python-program': imageOf(pythonImage) },
  };
  const objects = KubernetesObjectApi.makeApiClient(admin);
  const runners: Runner[] = [];
  const ours = await openCluster({ kubeconfig: KUBECONFIG, context: undefined, namespace });
  const labelled = (job: string): { namespace: string; labelSelector: string } => ({
    namespace,
    labelSelector: `${JOB_LABEL}=${job}`,
  });
  return {
    version: gitVersion,
    countsRemoved: Number.parseInt(minor, 10) >= 26,
    namespace,
    kubeconfig,
    claim,
    admin,
    jobsRoot,
    image,
    pythonImage,
    urls,
    noImage: image.replace(/:[^:/]*$/, '-none:1'),
    open: (more) => {
      const runner = kubernetesRunner(
        { jobsRoot, urls },
        settingsOf(kubeconfig, { ...settings, ...more }),
      );
      runners.push(runner);
      return runner;
    },
    left: async (job) => {
      const names = Object.entries({ ...KINDS, Pod: 'v1' }).map(async ([kind, apiVersion]) =>
        (
          await objects.list(
            apiVersion,
            kind,
            namespace,
            undefined,
            undefined,
            undefined,
            undefined,
            `${JOB_LABEL}=${job}`,
          )
        ).items.map(({ metadata }) => `${kind}/${metadata?.name}`),
      );
      return (await Promise.all(names)).flat();
    },
    drop: async (what, job) => {
      if (what === 'jobs')
        return void (await admin
          .makeApiClient(BatchV1Api)
          .deleteNamespacedJob({
            name: objectName(job),
            namespace,
            propagationPolicy: 'Background',
          }));
      return void (await admin
        .makeApiClient(CoreV1Api)
        .deleteCollectionNamespacedPod({ ...labelled(job), gracePeriodSeconds: 2 }));
    },
    refusingPods: async (why, during) => {
      const [core, metadata] = [admin.makeApiClient(CoreV1Api), { name, namespace }];
      if (why === 'quota')
        await core.createNamespacedResourceQuota({
          namespace,
          body: { metadata, spec: { hard: { 'requests.memory': '1Mi' } } },
        });
      else
        await core.createNamespacedLimitRange({
          namespace,
          body: { metadata, spec: { limits: [{ type: 'Container', max: { memory: '1Mi' } }] } },
        });
      try {
        await during();
      } finally {
        await (why === 'quota'
          ? core.deleteNamespacedResourceQuota({ name, namespace })
          : core.deleteNamespacedLimitRange({ name, namespace }));
      }
    },
    isAlive: async (job) =>
      (await ours.pods(job)).some(
        ({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed',
      ),
    close: async () => {
      for (const runner of runners) await runner.close();
      if (!existsSync(folder)) return;
      await removeAccount(admin, name);
      for (const path of [folder, jobsRoot]) rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Loaded on demand, since it takes half a second. */
function client() {
  return import('@kubernetes/client-node');
}

/** Makes the runner's account. @returns its token */
async function makeAccount(admin: KubeConfig, name: string): Promise<string> {
  const { CoreV1Api, RbacAuthorizationV1Api } = await client();
  const [core, rbac] = [
    admin.makeApiClient(CoreV1Api),
    admin.makeApiClient(RbacAuthorizationV1Api),
  ];
  const metadata = { name, namespace };
  await core.createNamespacedServiceAccount({ namespace, body: { metadata } });
  await rbac.createNamespacedRole({
    namespace,
    body: {
      metadata,
      rules: documentedRules().map(({ groups, resources, verbs }) => ({
        apiGroups: [...groups],
        resources: [...resources],
        verbs: [...verbs],
      })),
    },
  });
  await rbac.createNamespacedRoleBinding({
    namespace,
    body: {
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
  });
  const { status } = await core.createNamespacedServiceAccountToken({
    name,
    namespace,
    body: { spec: { audiences: [], expirationSeconds: 7200 } },
  });
  if (status?.token === undefined) throw new Error('the cluster gives no token');
  return status.token;
}

async function removeAccount(admin: KubeConfig, name: string): Promise<void> {
  const { CoreV1Api, RbacAuthorizationV1Api } = await client();
  const [core, rbac] = [
    admin.makeApiClient(CoreV1Api),
    admin.makeApiClient(RbacAuthorizationV1Api),
  ];
  await rbac.deleteNamespacedRoleBinding({ name, namespace });
  await rbac.deleteNamespacedRole({ name, namespace });
  await core.deleteNamespacedServiceAccount({ name, namespace });
}
