import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { BURST, burstSite, runBurst, wrongIn } from '../../harness/burst.ts';
import { startWholeService, type WholeService } from '../../harness/whole-service.ts';
import { JOB_USER, slurmMissing, startCluster, type Cluster } from './slurm.ts';
import { withEngine } from '../summary.ts';

// Every job takes an sbatch, a step of the node and a wrapper: a busy machine takes many minutes.
jest.setTimeout(1_800_000);

withEngine('short jobs of a cluster with slurm, accepted in a burst', slurmMissing(), () => {
  let cluster: Cluster;
  let service: WholeService;
  beforeAll(async () => {
    cluster = await startCluster();
    service = await startWholeService({
      site: burstSite({
        runner: 'slurm',
        slurm: { conf: cluster.conf, partition: 'main', user: JOB_USER },
      }),
      rules: { destinations: { here: { runner: 'slurm' } } },
    });
  });
  afterAll(async () => {
    await service?.close();
    await cluster?.close();
  });

  test(`${BURST} at once all finish, none is lost and none runs twice`, async () => {
    expect(wrongIn(await runBurst(service, 'slurm'))).toEqual([]);
  });
});
