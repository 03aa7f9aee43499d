import type { components } from '../../generated/api.d.ts';
import type { Ask, Bounds, EphemeralStorage, VolumeMount } from '../../planner/ask.ts';
import { textOf } from '../../planner/refusal.ts';
import type { Gpus } from '../../schedule/amount.ts';
import { shown } from '../../tasks/task.ts';
import { readAmount, readCores, readSize, unknownKeys, type Notes } from './notes.ts';

type ComputeItem = components['schemas']['ComputeItem'];

const bounds = <Unit extends number>(notes: Notes, min: Unit | undefined, max: Unit | undefined, path: string, unit: 'cores' | 'memory'): Bounds<Unit> => {
  if (min !== undefined && max !== undefined && min > max) notes.note({ code: 'minimum-above-maximum', path: `${path}.min-${unit}` });
  return { min, max };
};

const readGpus = (notes: Notes, gpu: ComputeItem['gpu'], path: string): Gpus | undefined => {
  if (gpu === undefined) return undefined;
  unknownKeys(notes, gpu, ['type', 'count'], path);
  const count = readAmount(notes, gpu.count ?? 1, `${path}.count`);
  return count === undefined ? undefined : { type: gpu.type, count };
};

const COMPUTE_KEYS = ['name', 'type', 'min-cores', 'max-cores', 'min-memory', 'max-memory', 'gpu', 'volumes'];

const readVolumes = (notes: Notes, item: ComputeItem, storage: readonly EphemeralStorage[], path: string): readonly VolumeMount[] => {
  const mounts = (item.volumes ?? []).map((volume, index): VolumeMount => {
    const at = `${path}.volumes[${index}]`;
    unknownKeys(notes, volume, ['name', 'path', 'mode'], at);
    if (!storage.some(({ name }) => name === volume.name)) {
      notes.note({ code: 'unknown-volume', path: `${at}.name`, asked: textOf(shown(volume.name)) });
    }
    const mode = volume.mode ?? 'rw';
    if (mode !== 'r' && mode !== 'rw') notes.note({ code: 'volume-mode-unknown', path: `${at}.mode`, asked: textOf(shown(mode)) });
    const segments = volume.path.split('/');
    if (volume.path === '' || volume.path.length > 500 || volume.path.includes('\0') || segments.includes('..') || segments.includes('.')) {
      notes.note({ code: 'volume-path-invalid', path: `${at}.path`, asked: textOf(shown(volume.path)) });
    }
    return { name: volume.name, path: volume.path, mode: mode === 'r' ? 'r' : 'rw' };
  });
  for (const key of ['name', 'path'] as const) {
    mounts.forEach((mount, index) => {
      if (mounts.findIndex((other) => other[key] === mount[key]) < index) {
        notes.note({ code: 'duplicate-name', path: `${path}.volumes[${index}].${key}`, asked: textOf(shown(mount[key])) });
      }
    });
  }
  return mounts;
};

/** A compute item of the ask (draft 2023, level 2a). */
export const readCompute = (notes: Notes, item: ComputeItem, storage: readonly EphemeralStorage[], path: string): Pick<Ask, 'cores' | 'memory' | 'gpus' | 'volumes'> => {
  unknownKeys(notes, item, COMPUTE_KEYS, path);
  if (item.type !== undefined) notes.note({ code: 'unknown-compute-type', path: `${path}.type`, asked: textOf(shown(item.type)) });
  const cores = (key: 'min-cores' | 'max-cores') => readCores(notes, item[key], `${path}.${key}`);
  const memory = (key: 'min-memory' | 'max-memory') => readSize(notes, item[key], `${path}.${key}`);
  return {
    cores: bounds(notes, cores('min-cores'), cores('max-cores'), path, 'cores'),
    memory: bounds(notes, memory('min-memory'), memory('max-memory'), path, 'memory'),
    gpus: readGpus(notes, item.gpu, `${path}.gpu`),
    volumes: readVolumes(notes, item, storage, path),
  };
};
