import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../../db/client.ts';
import { readPools } from '../../schedule/resource-pools.ts';

const GIB = 1024 ** 3;

/**
 * Registers what is held of resource pools.
 * @returns reads it from the database, so that every replica tells the same
 */
export function registerPools(registry: Registry, database: Database): () => Promise<void> {
  const gauge = (name: string, help: string): Gauge =>
    new Gauge({
      name: `planner_resource_pool_${name}`,
      help,
      labelNames: ['pool'],
      registers: [registry],
    });
  const users = gauge('users', 'Users who hold something of a resource pool of the rule files');
  const tasks = gauge('tasks', 'Open answers and jobs that hold something of a resource pool');
  const cores = gauge('cores', 'Cores that are held of a resource pool');
  const memory = gauge('memory_bytes', 'Memory that is held of a resource pool');
  const gpus = gauge('gpus', 'GPUs that are held of a resource pool');
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
