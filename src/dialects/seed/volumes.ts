import { posix } from 'node:path';
import type { components } from '../../generated/api.d.ts';
import type { AskStorage, VolumeMount } from '../../planner/ask.ts';
import { textQuantity } from '../../planner/refusal.ts';
import { hasDotStep, hasLongStep, LONGEST_STEP } from '../../storage/names.ts';
import { shown } from '../../tasks/task.ts';
import { volumeVariable } from '../../tasks/volumes.ts';
import { unknownKeys, type SeedFault, type Notes } from './notes.ts';

type WireVolume = components['schemas']['Volume'];

const LONGEST = 500;

/** The volumes of a compute item; each mounts the storage item of its name (2023 draft). */
export function readVolumes(
  notes: Notes,
  volumes: readonly WireVolume[],
  storage: readonly AskStorage[],
  path: string,
): readonly VolumeMount[] {
  const mounts = volumes.map((volume, index) =>
    readVolume(notes, volume, storage, `${path}.volumes[${index}]`),
  );
  for (const key of ['name', 'path'] as const) noteRepeated(notes, mounts, key, path);
  noteNested(notes, mounts, storage, path);
  return mounts;
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
  const fault = pathFault(volume.path);
  if (fault !== undefined)
    notes.note({
      code: 'volume-path-invalid',
      path: `${at}.path`,
      asked: textQuantity(shown(volume.path)),
      ...fault,
    });
  return { name: volume.name, path: volume.path, mode: mode === 'r' ? 'r' : 'rw' };
}

function isReadOnly(item: AskStorage | undefined): boolean {
  return item?.kind === 'external' && !item.isWritable;
}

/** Why no job can have such a path. */
function pathFault(path: string): Pick<SeedFault, 'detail'> | undefined {
  if (path === '' || path.includes('\0') || hasDotStep(path)) return {};
  if (path.length > LONGEST) return { detail: `At most ${LONGEST} characters.` };
  return hasLongStep(path)
    ? { detail: `At most ${LONGEST_STEP} bytes between two slashes.` }
    : undefined;
}

function noteRepeated(
  notes: Notes,
  mounts: readonly VolumeMount[],
  key: 'name' | 'path',
  path: string,
): void {
  const seen = new Map<string, VolumeMount>();
  mounts.forEach((mount, index) => {
    // Programs find a volume by an environment variable, which two names may share.
    const value = key === 'name' ? volumeVariable(mount) : placeOf(mount);
    const before = seen.get(value);
    const detail =
      key === 'name' && before !== undefined && before.name !== mount.name
        ? { detail: `Both would have the variable ${value}.` }
        : {};
    if (before !== undefined)
      notes.note({
        code: 'duplicate-name',
        path: `${path}.volumes[${index}].${key}`,
        asked: textQuantity(shown(mount[key])),
        ...detail,
      });
    seen.set(value, mount);
  });
}

/** The normal form of a path, with a slash at its end. */
function placeOf({ path }: VolumeMount): string {
  return posix.normalize(`${path}/`);
}

/**
 * Notes volumes inside others. A volume inside one that is filled or stored would become part of
 * it, and nothing can be mounted inside a read-only one.
 */
function noteNested(
  notes: Notes,
  mounts: readonly VolumeMount[],
  storage: readonly AskStorage[],
  path: string,
): void {
  const filled = new Set(
    storage.filter(({ kind }) => kind !== 'ephemeral').map(({ name }) => name),
  );
  const closed = new Map(
    mounts
      .filter(({ name, mode }) => mode === 'r' || filled.has(name))
      .map((mount) => [placeOf(mount), mount.name]),
  );
  mounts.forEach((mount, index) => {
    const outer = outerPlaces(placeOf(mount))
      .map((place) => closed.get(place))
      .find((name) => name !== undefined);
    if (outer === undefined) return;
    notes.note({
      code: 'volume-path-invalid',
      path: `${path}.volumes[${index}].path`,
      asked: textQuantity(shown(mount.path)),
      detail:
        `It is inside the volume ${shown(outer)}; only an ephemeral volume that is mounted rw ` +
        'may have others inside.',
    });
  });
}

/** The directories around a path, the nearest last. */
function outerPlaces(place: string): readonly string[] {
  return [...place.slice(0, -1).matchAll(/\//g)].map(({ index }) => place.slice(0, index + 1));
}
