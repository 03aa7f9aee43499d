import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchPlanner } from './planners.ts';
import { memoryOf } from './process-tree.ts';
import type { Fact } from './sample.ts';
import { makeJobs } from './worker.ts';

const SETTLED_MS = 1500;

/** Memory of the planner's process after all the requests before. */
export const measureAfterLoad = async ({ server, destinations }: BenchPlanner): Promise<readonly Fact[]> => {
  const size = await memoryOf(server.pid);
  const name = `memory after the load: planner of ${destinations} destinations`;
  return size === undefined ? [] : [{ name, unit: 'MiB', values: [size] }];
};

/** Memory of the planner for each client in WAIT, connection included. At most 1,000 may wait for one owner. */
export const measureWaiters = async (planner: BenchPlanner, count: number): Promise<readonly Fact[]> => {
  const [id] = await makeJobs(planner, 1);
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  const before = await memoryOf(planner.server.pid);
  const requests = Array.from({ length: count }, () =>
    get(`${planner.server.url}/jobs/${id}?WAIT=60&PHASE=PENDING`, { agent }).on('error', () => undefined));
  await sleep(SETTLED_MS);
  const after = await memoryOf(planner.server.pid);
  for (const request of requests) request.destroy();
  agent.destroy();
  if (before === undefined || after === undefined) return [];
  const name = `planner's memory for each of ${count} clients in WAIT`;
  return [{ name, unit: 'KiB', values: [((after - before) * 1024) / count] }];
};
