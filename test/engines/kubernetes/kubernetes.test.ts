import { afterAll, beforeAll } from '@jest/globals';
import { runnerContract } from '../../runners/contract.ts';
import { startTestCluster, type TestCluster } from './cluster.ts';
import { clusterPromises } from './promises.ts';
import { needs } from '../packages.ts';
import { withEngine } from '../summary.ts';

withEngine(
  'kubernetes against the small API server of the tests',
  needs('bubblewrap', 'openssl'),
  () => {
    let cluster: TestCluster;
    beforeAll(async () => {
      cluster = await startTestCluster();
    });
    afterAll(() => cluster?.close());

    runnerContract('kubernetes', async () => ({
      jobsRoot: cluster.jobsRoot,
      open: () => cluster.open(),
      isAlive: cluster.isAlive,
      close: async () => undefined,
    }));
    clusterPromises(() => cluster);
  },
);
