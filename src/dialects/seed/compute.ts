import type { ComputeTypes } from '../../compute/registry.ts';
import type { ComputePlatform } from '../../compute/type.ts';
import type { components } from '../../generated/api.d.ts';
import type { AskStorage, Bounds, ComputePart } from '../../planner/ask.ts';
import { compared, textQuantity } from '../../planner/refusal.ts';
import type { Gpus } from '../../schedule/amount.ts';
import { isRecord } from '../../words/record.ts';
import { shown } from '../../tasks/task.ts';
import { isNonEmpty, type NonEmpty } from '../../words/ids.ts';
import { readArchitecture, readReplicas } from '../reading/compute.ts';
import { noteAmount, noteCores, noteSize, type Notes } from '../reading/notes.ts';
import { unknownKeys } from './unknown-keys.ts';
import { readVolumes } from './volumes.ts';

type ComputeItem = components['schemas']['ComputeItem'];

const COMPUTE_KEYS = [
  'name',
  'replicas',
  'type',
  'arch',
  'min-cores',
  'max-cores',
  'min-memory',
  'max-memory',
  'gpu',
  'volumes',
];

const BOUND = {
  'min-cores': 'least',
  'max-cores': 'most',
  'min-memory': 'least',
  'max-memory': 'most',
} as const;

/** The compute items of an ask (draft 2023, level 2a), at least one. */
export function readCompute(
  notes: Notes,
  items: readonly ComputeItem[],
  storage: readonly AskStorage[],
  types: ComputeTypes,
): NonEmpty<ComputePart> {
  const parts = (items.length === 0 ? [{}] : items).map((item, index) =>
    readPart(notes, item, storage, types, pathOfItem(index)),
  );
  parts.forEach(({ name, gpus }, index) => {
    const path = pathOfItem(index);
    const before = parts.slice(0, index);
    if (name !== undefined && before.some((other) => other.name === name))
      notes.note({
        code: 'duplicate-name',
        path: `${path}.name`,
        asked: textQuantity(shown(name)),
      });
    const other =
      gpus && before.find((one) => one.gpus !== undefined && one.gpus.type !== gpus.type)?.gpus;
    if (gpus !== undefined && other !== undefined) {
      notes.note({
        code: 'several-gpu-types',
        path: `${path}.gpu.type`,
        asked: textQuantity(shown(gpus.type)),
        limit: textQuantity(shown(other.type)),
      });
    }
  });
  if (isNonEmpty(parts)) return parts;
  throw new Error('no compute item');
}

function readPart(
  notes: Notes,
  item: ComputeItem,
  storage: readonly AskStorage[],
  types: ComputeTypes,
  path: string,
): ComputePart {
  const platform = readPlatform(notes, item, types, path);
  const cores = (key: 'min-cores' | 'max-cores') =>
    noteCores(notes, item[key], `${path}.${key}`, BOUND[key]);
  const memory = (key: 'min-memory' | 'max-memory') =>
    noteSize(notes, item[key], `${path}.${key}`, BOUND[key]);
  return {
    name: item.name,
    platform,
    replicas: readReplicas(notes, item.replicas, `${path}.replicas`),
    arch: readArchitecture(notes, item.arch, `${path}.arch`),
    cores: readBounds(notes, cores('min-cores'), cores('max-cores'), path, 'cores'),
    memory: readBounds(notes, memory('min-memory'), memory('max-memory'), path, 'memory'),
    gpus: readGpus(notes, item.gpu, `${path}.gpu`),
    volumes: readVolumes(notes, item.volumes ?? [], storage, path),
  };
}

/** The type of an item and the block of that name. The block of another type is an unknown key. */
function readPlatform(
  notes: Notes,
  item: ComputeItem,
  types: ComputeTypes,
  path: string,
): ComputePlatform | undefined {
  const type = item.type === undefined ? undefined : types.find(item.type);
  unknownKeys(notes, item, type === undefined ? COMPUTE_KEYS : [...COMPUTE_KEYS, type.name], path);
  if (item.type === undefined) return undefined;
  if (type === undefined)
    return notes.note({
      code: 'unknown-compute-type',
      path: `${path}.type`,
      asked: textQuantity(shown(item.type)),
    });
  const block: unknown = Object.entries(item).find(([key]) => key === type.name)?.[1] ?? {};
  const at = `${path}.${type.name}`;
  if (!isRecord(block))
    return notes.note({
      code: 'compute-block-invalid',
      path: at,
      asked: textQuantity(shown(JSON.stringify(block))),
      detail: 'It must be a mapping.',
    });
  for (const { key, text } of type.faultsOfBlock(block)) {
    const said = key === '' ? block : block[key];
    notes.note({
      code: 'compute-block-invalid',
      path: key === '' ? at : `${at}.${shown(key)}`,
      detail: `${shown(key)}: ${text}.`,
      ...(said !== undefined && {
        asked: textQuantity(shown(typeof said === 'string' ? said : JSON.stringify(said))),
      }),
    });
  }
  return { uri: item.type, name: type.name, block };
}

function readBounds<Unit extends number>(
  notes: Notes,
  min: Unit | undefined,
  max: Unit | undefined,
  path: string,
  unit: 'cores' | 'memory',
): Bounds<Unit> {
  if (min !== undefined && max !== undefined && min > max) {
    notes.note({
      code: 'minimum-above-maximum',
      path: `${path}.min-${unit}`,
      ...compared(unit, min, max, min),
    });
  }
  return { min, max };
}

function readGpus(notes: Notes, gpu: ComputeItem['gpu'], path: string): Gpus | undefined {
  if (gpu === undefined) return undefined;
  unknownKeys(notes, gpu, ['type', 'count'], path);
  const count = noteAmount(notes, gpu.count ?? 1, `${path}.count`);
  return count === undefined ? undefined : { type: gpu.type, count };
}

function pathOfItem(index: number): string {
  return `resources.compute[${index}]`;
}
