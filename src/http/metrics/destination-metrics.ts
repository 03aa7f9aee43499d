import type { Registry } from 'prom-client';
import type { Database } from '../../db/client.ts';
import { readExecutors } from '../../executor/live-executors.ts';
import { readDrains } from '../../schedule/drains.ts';
import type { Capacity } from '../../schedule/amount.ts';
import { readQueues, readUse, UNUSED } from '../../schedule/use.ts';
import { openEngineHealth } from './engine-health.ts';
import { gaugesOf } from './gauges.ts';
import type { Listed } from './labels.ts';

const MEBIBYTE = 2 ** 20;

/**
 * Registers what the destinations of the site file have, what is reserved, what waits, and whether
 * their engines answer.
 *
 * @returns reads it from the database, so that every replica reports the same
 */
export function registerDestinations(
  registry: Registry,
  database: Database,
  listed: Listed,
): () => Promise<void> {
  const gauge = gaugesOf(registry);
  const amount = ['destination', 'resource', 'unit'];
  const gauges = {
    capacity: gauge('planner_destination_capacity', 'What a destination has, by resource', amount),
    reserved: gauge(
      'planner_destination_reserved',
      'What is reserved of a destination now, held by open answers or firm for jobs',
      [...amount, 'state'],
    ),
    jobs: gauge('planner_destination_jobs', 'Jobs that have not ended, by what they wait for', [
      'destination',
      'state',
    ]),
    wait: gauge(
      'planner_destination_longest_wait_seconds',
      'Time since the first promised start of the jobs that are due and have not begun',
      ['destination'],
    ),
    drained: gauge('planner_destination_drained', '1 while an administrator drains it', [
      'destination',
    ]),
    engine: gauge(
      'planner_engine_up',
      '1 when the engine answers an executor, 0 when it does not',
      ['destination', 'runner'],
    ),
    executors: gauge('planner_executors_alive', 'Executors that gave a sign of life lately'),
  };
  const readEngines = openEngineHealth(database, () => performance.now());

  return async () => {
    const found = await Promise.all([
      readUse(database),
      readQueues(database),
      readEngines(),
      readExecutors(database),
      readDrains(database),
    ]).catch(() => undefined);
    // A database that is silent leaves gaps instead of zeros.
    for (const one of Object.values(gauges)) one.reset();
    if (found === undefined) return;
    const [use, queues, engines, executors, drains] = found;
    const now = Date.now();
    gauges.executors.set(executors.filter(({ until }) => until > now).length);
    for (const [destination, { capacity, engine }] of listed()) {
      for (const [labels, value] of amountsOf(capacity))
        gauges.capacity.set({ destination, ...labels }, value);
      const reserved = use.get(destination) ?? UNUSED;
      for (const state of ['held', 'firm'] as const)
        for (const [labels, value] of amountsOf(reserved[state], capacity))
          gauges.reserved.set({ destination, ...labels, state }, value);
      const queue = queues.get(destination);
      for (const state of ['pending', 'waiting', 'due', 'running'] as const)
        gauges.jobs.set({ destination, state }, queue?.[state] ?? 0);
      gauges.wait.set({ destination }, queue?.longest ?? 0);
      const isDrained = drains.some((one) => one.destination === destination && one.from <= now);
      gauges.drained.set({ destination }, isDrained ? 1 : 0);
      const answers = engines.get(destination);
      if (answers !== undefined)
        gauges.engine.set({ destination, runner: engine.runner }, answers === 'answers' ? 1 : 0);
    }
  };
}

/** @param has decides whether there is a line for GPUs; their types are added up */
function amountsOf(
  { cores, memory, scratch, gpus }: Capacity,
  has: Capacity = { cores, memory, scratch, gpus },
): readonly (readonly [{ readonly resource: string; readonly unit: string }, number])[] {
  return [
    [{ resource: 'cores', unit: 'core' }, cores / 1000],
    [{ resource: 'memory', unit: 'byte' }, memory * MEBIBYTE],
    [{ resource: 'scratch', unit: 'byte' }, scratch * MEBIBYTE],
    ...(has.gpus.size === 0
      ? []
      : [
          [
            { resource: 'gpus', unit: 'gpu' },
            [...gpus.values()].reduce((sum, count) => sum + count, 0),
          ] as const,
        ]),
  ];
}
