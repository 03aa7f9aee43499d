import type { Gauge, Registry } from 'prom-client';
import type { Database } from '../../db/client.ts';
import { readPools } from '../../schedule/resource-pools.ts';
import { gaugesOf } from './gauges.ts';

const GIB = 1024 ** 3;

/**
 * Registers the gauges of the resource pools.
 * @returns reads them from the database, so that every replica reports the same
 */
export function registerPools(registry: Registry, database: Database): () => Promise<void> {
  const gauge = gaugesOf(registry);
  const of = (name: string, help: string): Gauge =>
    gauge(`planner_resource_pool_${name}`, help, ['pool']);
  const users = of('users', 'Users with a share of a resource pool of the rule files');
  const tasks = of('tasks', 'Open answers and jobs with a share of a resource pool');
  const cores = of('cores', 'Cores in use of a resource pool');
  const memory = of('memory_bytes', 'Memory in use of a resource pool');
  const gpus = of('gpus', 'GPUs in use of a resource pool');
  return async () => {
    const pools = await readPools(database, undefined).catch(() => []);
    for (const one of [users, tasks, cores, memory, gpus]) one.reset();
    for (const { pool, ...held } of pools) {
      users.set({ pool }, held.users);
      tasks.set({ pool }, held.tasks);
      cores.set({ pool }, held.cores);
      memory.set({ pool }, held.mem * GIB);
      gpus.set({ pool }, held.gpus);
    }
  };
}
