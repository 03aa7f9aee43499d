import { isRecord } from '../../words/record.ts';
import { mebibytes, millicores, seconds } from '../../words/units.ts';
import type { Content } from '../../storage/content.ts';
import { parseObjectId } from '../../words/ids.ts';
import type { Cgroup } from '../process/cgroup/cgroup.ts';
import type { Guaranteed, Limits } from '../port.ts';
import type { Staged } from './staging.ts';
import { readJson, type JobDirectory } from './directory.ts';

/** What another executor must know to look after a run when the one that started it is gone. */
export type RunRecord = {
  readonly limits: Limits;
  readonly uid: number | undefined;
  /**
   * its former draft, which holds its user and devices; undefined in records of the previous
   * version
   */
  readonly holder: string | undefined;
  /** which of several engines has it; undefined: the only one, or it is not known */
  readonly engine: string | undefined;
  readonly staged: readonly Staged[];
  /** undefined where jobs have none */
  readonly cgroup: Cgroup | undefined;
};

/** The record of a run; undefined when there is none, or it cannot be read. */
export async function readRecord({ record }: JobDirectory): Promise<RunRecord | undefined> {
  return parseRecord(await readJson(record));
}

/** The record of a run that has begun. @throws Error when it cannot be read */
export async function mustReadRecord(place: JobDirectory): Promise<RunRecord> {
  const record = await readRecord(place);
  if (record === undefined) throw new Error(`${place.record} cannot be read`);
  return record;
}

/** Reads `job.json` back; undefined when it is not one. */
export function parseRecord(value: unknown): RunRecord | undefined {
  if (!isRecord(value) || !isRecord(value['limits'])) return undefined;
  const { cores, memory, scratch, wallTime, guaranteed } = value['limits'];
  if (typeof cores !== 'number' || typeof memory !== 'number') return undefined;
  if (typeof scratch !== 'number' || typeof wallTime !== 'number') return undefined;
  const staged = parseStaged(value['staged']);
  if (staged === undefined) return undefined;
  return {
    limits: {
      cores: millicores(cores),
      memory: mebibytes(memory),
      scratch: mebibytes(scratch),
      wallTime: seconds(wallTime),
      ...(isRecord(guaranteed) && { guaranteed: parseGuaranteed(guaranteed) }),
    },
    staged,
    cgroup: parseCgroup(value['cgroup']),
    uid: typeof value['uid'] === 'number' ? value['uid'] : undefined,
    holder: typeof value['holder'] === 'string' ? value['holder'] : undefined,
    engine: typeof value['engine'] === 'string' ? value['engine'] : undefined,
  };
}

/**
 * Records of the first release have no such entry.
 * @returns undefined when one is unreadable: nothing may be left unstored
 */
function parseStaged(value: unknown): readonly Staged[] | undefined {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return undefined;
  const staged = value.map((item: unknown): Staged | undefined => {
    if (!isRecord(item) || typeof item['directory'] !== 'string') return undefined;
    const save = parseSaved(item['save']);
    return item['save'] !== undefined && save === undefined
      ? undefined
      : { directory: item['directory'], save };
  });
  return staged.every((item) => item !== undefined) ? staged : undefined;
}

/** What is stored after a run: managed storage, or what a plug-in takes back. */
function parseSaved(value: unknown): Content | undefined {
  if (!isRecord(value) || typeof value['name'] !== 'string') return undefined;
  const { kind, name, backend, object, size, source } = value;
  const id = typeof object === 'string' ? parseObjectId(object) : undefined;
  if (
    kind === 'managed' &&
    id !== undefined &&
    typeof backend === 'string' &&
    typeof size === 'number'
  ) {
    return { kind, name, backend, object: id, size: mebibytes(size) };
  }
  if (
    kind !== 'external' ||
    !isRecord(source) ||
    source['kind'] !== 'plugin' ||
    typeof source['name'] !== 'string' ||
    !isRecord(source['spec'])
  )
    return undefined;
  return { kind, name, source: { kind: 'plugin', name: source['name'], spec: source['spec'] } };
}

function parseGuaranteed(value: unknown): Guaranteed | undefined {
  if (!isRecord(value)) return undefined;
  const { cores, memory } = value;
  return typeof cores === 'number' && typeof memory === 'number'
    ? { cores: millicores(cores), memory: mebibytes(memory) }
    : undefined;
}

function parseCgroup(value: unknown): Cgroup | undefined {
  if (!isRecord(value)) return undefined;
  const { version, memory, pids, cpu } = value;
  if (version !== 1 && version !== 2) return undefined;
  return typeof memory === 'string' && typeof pids === 'string' && typeof cpu === 'string'
    ? { version, memory, pids, cpu }
    : undefined;
}
