import { isRecord } from '../../../words/record.ts';
import type { Usage } from '../../port.ts';
import { containerName } from './inspected.ts';
import type { EngineApi } from './client.ts';

/**
 * What a container has used so far.
 *
 * @param before what was seen earlier
 * @throws Error when the engine cannot be asked
 */
export async function readStats(api: EngineApi, job: string, before: Usage): Promise<Usage> {
  return statsIn(
    await api.call({
      method: 'GET',
      path: `/containers/${containerName(job)}/stats?stream=false&one-shot=true`,
    }),
    before,
  );
}

/**
 * Reads an answer to stats. `max_usage` is of version 1 of cgroups; else the most memory that was
 * seen counts.
 *
 * @param before what was seen earlier
 */
export function statsIn(value: unknown, before: Usage): Usage {
  const part = (of: unknown, key: string): unknown => (isRecord(of) ? of[key] : undefined);
  const nanos = part(part(part(value, 'cpu_stats'), 'cpu_usage'), 'total_usage');
  const memory = part(value, 'memory_stats');
  const bytes = [part(memory, 'max_usage'), part(memory, 'usage')].find(
    (one) => typeof one === 'number' && one > 0,
  );
  const processorS = typeof nanos === 'number' && nanos > 0 ? nanos / 1e9 : before.processorS;
  const memoryMib = Math.max(
    before.memoryMib ?? 0,
    typeof bytes === 'number' ? bytes / 2 ** 20 : 0,
  );
  return {
    ...(processorS === undefined ? {} : { processorS }),
    ...(memoryMib > 0 ? { memoryMib } : {}),
  };
}
