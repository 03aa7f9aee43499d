import { jest } from '@jest/globals';
import { kubernetesRunner } from '../../src/runners/kubernetes-runner.ts';
import { runnerContract } from '../runners/contract.ts';
import { isAlive, startTestCluster } from './kubernetes/cluster.ts';
import { install } from './packages.ts';
import { withEngine } from './summary.ts';

jest.setTimeout(60_000);

const NO_URLS = { allowHosts: [], fileRoots: [] };

withEngine('kubernetes against the small API server of the tests', install('bubblewrap', 'openssl'), () => {
  runnerContract('kubernetes', async () => {
    const cluster = await startTestCluster();
    const { jobsRoot } = cluster;
    return { jobsRoot, open: () => kubernetesRunner({ jobsRoot, urls: NO_URLS }, cluster.settings()), isAlive, close: cluster.close };
  });
});
