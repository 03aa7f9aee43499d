import { openClient, type Reply } from '../../harness/client.ts';
import type { TestDatabase } from '../../harness/database.ts';
import { startWholeService } from '../../harness/whole-service.ts';
import { JOB_USER, startCluster, type Cluster } from './slurm.ts';

/** A whole service whose one destination, `cluster`, is a private Slurm cluster. */
export type SlurmService = {
  readonly cluster: Cluster;
  readonly db: TestDatabase;
  readonly url: string;
  /** results of jobs are below `jobs` */
  readonly folder: string;
  /** Asks for a shell command. */
  readonly ask: (more?: object, script?: string) => Promise<Reply>;
  readonly close: () => Promise<void>;
};

/**
 * @param slurm more of the destination's key of that name
 * @param more more of the destination
 */
export async function startSlurmService(slurm: object, more: object = {}): Promise<SlurmService> {
  const cluster = await startCluster();
  const service = await startWholeService({
    site: {
      rules: ['rules.yml'],
      quotas: [],
      offers: { duration: 'PT2M' },
      destinations: {
        cluster: {
          runner: 'slurm',
          'task-types': ['executable'],
          cores: 100_000,
          memory: '900TiB',
          scratch: '80000TiB',
          ...more,
          slurm: { conf: cluster.conf, partition: 'main', user: JOB_USER, ...slurm },
        },
      },
    },
    rules: { tools: { default: { mem: 1 } }, destinations: { cluster: { runner: 'slurm' } } },
  });
  return {
    cluster,
    db: service.db,
    url: service.url,
    folder: service.folder,
    ask: (rest = {}, script = 'true') =>
      openClient(service.url)('/request', {
        body: JSON.stringify({
          task: {
            type: 'https://www.purl.org/ivoa-net/task-type/executable',
            spec: { command: ['/bin/sh', '-c', script] },
          },
          ...rest,
        }),
      }),
    close: async () => {
      await service.close();
      await cluster.close();
    },
  };
}
