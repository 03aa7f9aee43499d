import type { components } from '../../generated/api.d.ts';
import type { AskStorage, VolumeMount } from '../../planner/ask.ts';
import { textQuantity } from '../../planner/refusal.ts';
import { shown } from '../../tasks/task.ts';
import { isReadOnly, noteMounts, noteVolumePath } from '../reading/mounts.ts';
import type { Notes } from '../reading/notes.ts';
import { unknownKeys } from './unknown-keys.ts';

type WireVolume = components['schemas']['Volume'];

/** The volumes of a compute item; each mounts the storage item of its name (2023 draft). */
export function readVolumes(
  notes: Notes,
  volumes: readonly WireVolume[],
  storage: readonly AskStorage[],
  path: string,
): readonly VolumeMount[] {
  const placed = volumes.map((volume, index) => {
    const at = `${path}.volumes[${index}]`;
    const mount = readVolume(notes, volume, storage, at);
    return { mount, name: `${at}.name`, path: `${at}.path` };
  });
  noteMounts(notes, placed, storage);
  return placed.map(({ mount }) => mount);
}

function readVolume(
  notes: Notes,
  volume: WireVolume,
  storage: readonly AskStorage[],
  at: string,
): VolumeMount {
  unknownKeys(notes, volume, ['name', 'path', 'mode'], at);
  const item = storage.find(({ name }) => name === volume.name);
  if (item === undefined)
    notes.note({
      code: 'unknown-volume',
      path: `${at}.name`,
      asked: textQuantity(shown(volume.name)),
    });
  const mode = volume.mode ?? (isReadOnly(item) ? 'r' : 'rw');
  if (mode !== 'r' && mode !== 'rw')
    notes.note({
      code: 'volume-mode-unknown',
      path: `${at}.mode`,
      asked: textQuantity(shown(mode)),
    });
  if (mode === 'rw' && isReadOnly(item))
    notes.note({
      code: 'external-read-only',
      path: `${at}.mode`,
      asked: textQuantity(mode),
      limit: textQuantity('r'),
    });
  noteVolumePath(notes, volume.path, `${at}.path`);
  return { name: volume.name, path: volume.path, mode: mode === 'r' ? 'r' : 'rw' };
}
