import { posix } from 'node:path';
import type { Ask, AskStorage, VolumeMount } from '../../planner/ask.ts';
import { isOneMachine } from '../../planner/judge/parts.ts';
import { textQuantity } from '../../planner/refusal.ts';
import { hasDotStep, hasLongStep, LONGEST_STEP } from '../../storage/names.ts';
import { shown } from '../../tasks/task.ts';
import { volumeVariable } from '../../tasks/volumes.ts';
import type { Notes, ReadFault } from './notes.ts';

/** A volume of a compute item, and where the document has its name and its path. */
export type PlacedMount = {
  readonly mount: VolumeMount;
  readonly name: string;
  readonly path: string;
};

/** Can the volume of this storage only be read? */
export function isReadOnly(item: AskStorage | undefined): boolean {
  return item?.kind === 'external' && !item.isWritable;
}

/** Notes a path that no job can have. @param at its place in the document */
export function noteVolumePath(notes: Notes, path: string, at: string): void {
  const fault = pathFault(path);
  if (fault !== undefined)
    notes.note({
      code: 'volume-path-invalid',
      path: at,
      asked: textQuantity(shown(path)),
      ...fault,
    });
}

/** Notes volumes of a compute item that are in each other's way. */
export function noteMounts(
  notes: Notes,
  placed: readonly PlacedMount[],
  storage: readonly AskStorage[],
): void {
  for (const key of ['name', 'path'] as const) noteRepeated(notes, placed, key);
  noteNested(notes, placed, storage);
}

/** Notes data that no volume mounts: it would be ignored. @param pathOf the name of an item */
export function noteUnmounted(
  notes: Notes,
  { parts, storage }: Pick<Ask, 'parts' | 'storage'>,
  pathOf: (item: number) => string,
): void {
  storage.forEach(({ kind, name }, index) => {
    if (
      kind === 'ephemeral' ||
      parts.some(({ volumes }) => volumes.some((volume) => volume.name === name))
    )
      return;
    notes.note({
      code: 'storage-not-mounted',
      path: pathOf(index),
      asked: textQuantity(shown(name)),
    });
  });
}

/**
 * Notes lasting storage that several machines write: the last one would win.
 * @param pathOf the mode of a volume; parts and their volumes count from 0
 */
export function noteSeveralWriters(
  notes: Notes,
  { parts, storage }: Pick<Ask, 'parts' | 'storage'>,
  pathOf: (part: number, volume: number) => string,
  [writing, reading]: readonly [string, string],
): void {
  if (isOneMachine(parts)) return;
  for (const { name } of storage.filter(({ kind }) => kind !== 'ephemeral')) {
    const writers = parts.flatMap(({ volumes, replicas }, part) =>
      volumes.flatMap((volume, index) =>
        volume.name === name && volume.mode === 'rw'
          ? [{ replicas, path: pathOf(part, index) }]
          : [],
      ),
    );
    const [first, ...more] = writers;
    if (first === undefined || (more.length === 0 && first.replicas === 1)) continue;
    for (const { path } of first.replicas === 1 ? more : writers)
      notes.note({
        code: 'volume-written-by-several',
        path,
        asked: textQuantity(writing),
        limit: textQuantity(reading),
      });
  }
}

const LONGEST = 500;

/** Why no job can have such a path. */
function pathFault(path: string): Pick<ReadFault, 'detail'> | undefined {
  if (path === '' || path.includes('\0') || hasDotStep(path)) return {};
  if (path.length > LONGEST) return { detail: `At most ${LONGEST} characters.` };
  return hasLongStep(path)
    ? { detail: `At most ${LONGEST_STEP} bytes between two slashes.` }
    : undefined;
}

function noteRepeated(notes: Notes, placed: readonly PlacedMount[], key: 'name' | 'path'): void {
  const seen = new Map<string, VolumeMount>();
  placed.forEach(({ mount, [key]: path }) => {
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
        path,
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
  placed: readonly PlacedMount[],
  storage: readonly AskStorage[],
): void {
  const filled = new Set(
    storage.filter(({ kind }) => kind !== 'ephemeral').map(({ name }) => name),
  );
  const closed = new Map(
    placed
      .map(({ mount }) => mount)
      .filter(({ name, mode }) => mode === 'r' || filled.has(name))
      .map((mount) => [placeOf(mount), mount.name]),
  );
  placed.forEach(({ mount, path }) => {
    const outer = outerPlaces(placeOf(mount))
      .map((place) => closed.get(place))
      .find((name) => name !== undefined);
    if (outer === undefined) return;
    notes.note({
      code: 'volume-path-invalid',
      path,
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
