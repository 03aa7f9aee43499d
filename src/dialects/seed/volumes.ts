import type { components } from '../../generated/api.d.ts';
import type { AskStorage, VolumeMount } from '../../planner/ask.ts';
import { textOf } from '../../planner/refusal.ts';
import { shown } from '../../tasks/task.ts';
import { unknownKeys, type Notes } from './notes.ts';

type WireVolume = components['schemas']['Volume'];

const isReadOnly = (item: AskStorage | undefined): boolean => item?.kind === 'external' && !item.isWritable;

const readVolume = (notes: Notes, volume: WireVolume, storage: readonly AskStorage[], at: string): VolumeMount => {
  unknownKeys(notes, volume, ['name', 'path', 'mode'], at);
  const item = storage.find(({ name }) => name === volume.name);
  if (item === undefined) notes.note({ code: 'unknown-volume', path: `${at}.name`, asked: textOf(shown(volume.name)) });
  const mode = volume.mode ?? (isReadOnly(item) ? 'r' : 'rw');
  if (mode !== 'r' && mode !== 'rw') notes.note({ code: 'volume-mode-unknown', path: `${at}.mode`, asked: textOf(shown(mode)) });
  if (mode === 'rw' && isReadOnly(item)) notes.note({ code: 'external-read-only', path: `${at}.mode`, asked: textOf(mode), limit: textOf('r') });
  const segments = volume.path.split('/');
  if (volume.path === '' || volume.path.length > 500 || volume.path.includes('\0') || segments.includes('..') || segments.includes('.')) {
    notes.note({ code: 'volume-path-invalid', path: `${at}.path`, asked: textOf(shown(volume.path)) });
  }
  return { name: volume.name, path: volume.path, mode: mode === 'r' ? 'r' : 'rw' };
};

/** The volumes of a compute item, each joined to a storage item by equal name (draft 2023, S31). */
export const readVolumes = (notes: Notes, volumes: readonly WireVolume[], storage: readonly AskStorage[], path: string): readonly VolumeMount[] => {
  const mounts = volumes.map((volume, index) => readVolume(notes, volume, storage, `${path}.volumes[${index}]`));
  for (const key of ['name', 'path'] as const) {
    mounts.forEach((mount, index) => {
      if (mounts.findIndex((other) => other[key] === mount[key]) < index) {
        notes.note({ code: 'duplicate-name', path: `${path}.volumes[${index}].${key}`, asked: textOf(shown(mount[key])) });
      }
    });
  }
  return mounts;
};
