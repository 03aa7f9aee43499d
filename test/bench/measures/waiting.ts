import { Agent, type ClientRequest, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchPlanner } from '../planners.ts';
import { memoryOf } from '../processes/process-tree.ts';
import type { Fact } from '../sample.ts';
import { benchUsers, credentialOf } from '../site.ts';
import { makeJobs } from '../processes/worker.ts';

const SETTLED_MS = 1500;

/** Memory of the planner's process after all earlier requests. */
export async function measureAfterLoad({
  server,
  destinations,
}: BenchPlanner): Promise<readonly Fact[]> {
  const size = await memoryOf(server.pid);
  const name = `memory after the load: planner of ${destinations} destinations`;
  return size === undefined ? [] : [{ name, unit: 'MiB', values: [size] }];
}

/**
 * Memory of the planner with this many clients in WAIT, connections included: a tenth of them for
 * each of ten owners.
 */
export async function measureWaiters(
  planner: BenchPlanner,
  count: number,
): Promise<readonly Fact[]> {
  const ids = await makeJobs(planner, benchUsers.length);
  for (const [index, user] of benchUsers.entries()) {
    await planner.client.query('UPDATE job SET owner = $1 WHERE id = $2', [
      `user:${user}`,
      ids[index],
    ]);
  }
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  const before = await memoryOf(planner.server.pid);
  const answered = new Set<number>();
  const requests: ClientRequest[] = [];
  for (let index = 0; index < count; index += 1) {
    const user = benchUsers[index % benchUsers.length] ?? '';
    const url = `${planner.server.url}/jobs/${ids[index % benchUsers.length]}?WAIT=60&PHASE=PENDING`;
    requests.push(
      get(url, { agent, headers: { Authorization: credentialOf(user) } }, () =>
        answered.add(index),
      ).on('error', () => undefined),
    );
    // No more at once than the listener's queue holds.
    if (index % 200 === 199) await sleep(20);
  }
  await sleep(SETTLED_MS);
  const after = await memoryOf(planner.server.pid);
  const waiting = count - answered.size;
  for (const request of requests) request.destroy();
  agent.destroy();
  if (before === undefined || after === undefined) return [];
  return [
    {
      name: `planner's memory for each of ${waiting} clients in WAIT`,
      unit: 'KiB',
      values: [((after - before) * 1024) / waiting],
    },
    {
      name: `planner's memory for ${waiting} clients in WAIT, all of it`,
      unit: 'MiB',
      values: [after - before],
    },
  ];
}
