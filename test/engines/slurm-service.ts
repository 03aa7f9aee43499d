import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '../../src/main.ts';
import { readSettings } from '../../src/settings.ts';
import { openClient, type Reply } from '../harness/client.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';
import { writeSite } from '../harness/site.ts';
import { JOB_USER, startCluster, type Cluster } from './slurm.ts';

/** A whole service whose one destination, `cluster`, is a private Slurm cluster. */
export type SlurmService = {
  readonly cluster: Cluster;
  readonly db: TestDatabase;
  readonly url: string;
  /** Asks for a shell command. */
  readonly ask: (more?: object, script?: string) => Promise<Reply>;
  readonly close: () => Promise<void>;
};

/**
 * @param slurm more of the destination's key of that name
 * @param more more of the destination
 */
export const startSlurmService = async (slurm: object, more: object = {}): Promise<SlurmService> => {
  const cluster = await startCluster();
  const db = await openTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'planner-slurm-'));
  await chmod(folder, 0o755);
  const site = await writeSite({
    rules: ['rules.yml'], offers: { duration: 'PT2M' },
    destinations: {
      cluster: {
        runner: 'slurm', 'task-types': ['executable'], cores: 100_000, memory: '900TiB', scratch: '80000TiB', ...more,
        slurm: { conf: cluster.conf, partition: 'main', user: JOB_USER, ...slurm },
      },
    },
  }, { tools: { default: { mem: 1 } }, destinations: { cluster: { runner: 'slurm' } } });
  const environment = { ...process.env, DATABASE_URL: db.url, DATA_DIR: folder, SITE_FILE: site.siteFile, PORT: '0', LOG_LEVEL: 'fatal' };
  const reading = readSettings(environment);
  if (!reading.ok) throw new Error(reading.problems.join());
  const service = await startService(reading.settings, environment);
  return {
    cluster, db, url: service.url,
    ask: (rest = {}, script = 'true') => openClient(service.url)('/request', {
      body: JSON.stringify({ task: { type: 'https://www.purl.org/ivoa-net/task-type/executable', spec: { command: ['/bin/sh', '-c', script] } }, ...rest }),
    }),
    close: async () => {
      await service.stop();
      await db.close();
      await site.remove();
      await cluster.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
