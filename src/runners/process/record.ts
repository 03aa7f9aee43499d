import { isRecord } from '../../tasks/spec-reader.ts';
import { mebibytes, millicores, seconds } from '../../words/units.ts';
import type { Limits } from '../port.ts';

/** What the service must know of a run to look after it when the one that started it is gone. */
export type RunRecord = { readonly limits: Limits; readonly uid: number | undefined };

/** Reads `job.json` back; undefined when it is not one. */
export const parseRecord = (value: unknown): RunRecord | undefined => {
  if (!isRecord(value) || !isRecord(value['limits'])) return undefined;
  const { cores, memory, scratch, wallTime } = value['limits'];
  if (typeof cores !== 'number' || typeof memory !== 'number') return undefined;
  if (typeof scratch !== 'number' || typeof wallTime !== 'number') return undefined;
  return {
    limits: {
      cores: millicores(cores), memory: mebibytes(memory), scratch: mebibytes(scratch), wallTime: seconds(wallTime),
    },
    uid: typeof value['uid'] === 'number' ? value['uid'] : undefined,
  };
};
