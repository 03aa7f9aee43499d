import { jest } from '@jest/globals';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openCluster } from '../../src/runners/kubernetes/cluster.ts';
import { kubernetesRunner } from '../../src/runners/kubernetes-runner.ts';
import { seconds } from '../../src/words/units.ts';
import { runnerContract } from '../runners/contract.ts';
import { removeRoot } from '../runners/workloads.ts';
import { imageOf, settingsOf } from './kubernetes/cluster.ts';
import type { Missing } from './packages.ts';
import { withEngine } from './summary.ts';

jest.setTimeout(600_000);

/** A real cluster is not of this repository: the environment says where one is (docs/runners/kubernetes.md). */
const { KUBECONFIG, KUBERNETES_TEST_JOBS, KUBERNETES_TEST_CLAIM = 'jobs', KUBERNETES_TEST_NAMESPACE = 'default', KUBERNETES_TEST_IMAGE = 'docker.io/library/busybox:1.37' } = process.env;

const missing = (): Missing => {
  if (KUBECONFIG === undefined) return 'KUBECONFIG names no cluster';
  return KUBERNETES_TEST_JOBS === undefined ? 'KUBERNETES_TEST_JOBS names no folder that is the volume of its claim' : undefined;
};

withEngine('kubernetes, a real cluster', missing(), () => {
  runnerContract('kubernetes', async () => {
    // A folder of its own in the volume, so that several runs do not meet.
    const folder = `contract-${process.pid}-${Date.now()}`;
    const jobsRoot = join(KUBERNETES_TEST_JOBS ?? '', folder);
    mkdirSync(jobsRoot, { mode: 0o711 });
    const image = imageOf(KUBERNETES_TEST_IMAGE);
    const settings = settingsOf(KUBECONFIG ?? '', {
      namespace: KUBERNETES_TEST_NAMESPACE, claim: { name: KUBERNETES_TEST_CLAIM, folder }, pullLimit: seconds(300), longestWait: seconds(300), images: { 'executable': image, 'python-program': undefined },
    });
    const cluster = await openCluster(settings);
    return {
      jobsRoot,
      open: () => kubernetesRunner({ jobsRoot, urls: { allowHosts: [], fileRoots: [] } }, settings),
      isAlive: async (job) => (await cluster.pods(job)).some(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed'),
      close: async () => removeRoot(jobsRoot),
    };
  }, { patience: 120, lateS: 15 });
});
