import { isRecord } from '../../words/record.ts';
import type { JobUsage } from '../job.ts';

/** Reads the column job.usage, which `end_job` in prisma/functions.sql writes. */
export function readUsage(stored: unknown): JobUsage | null {
  if (!isRecord(stored)) return null;
  const { wallS, processorS, memoryMib } = stored;
  return {
    ...(typeof wallS === 'number' ? { wallS } : {}),
    ...(typeof processorS === 'number' ? { processorS } : {}),
    ...(typeof memoryMib === 'number' ? { memoryMib } : {}),
  };
}
