import type { Ask, AskStorage, VolumeMount } from '../../../planner/ask.ts';
import { textQuantity } from '../../../planner/refusal.ts';
import { shown } from '../../../tasks/task.ts';
import {
  isReadOnly,
  noteMounts,
  noteSeveralWriters,
  noteUnmounted,
  noteVolumePath,
  type PlacedMount,
} from '../../reading/mounts.ts';
import type { Notes } from '../../reading/notes.ts';
import { kindNamed } from '../kinds.ts';
import type { OpenedRequest } from '../opened.ts';
import { pathOfItem, type At, type BrokerCompute } from '../view.ts';
import { noteUnknown } from './known-keys.ts';
import { findShelf, type Shelf, type Shelves } from '../shelves.ts';

/** A volume of the ask, and which volume of the document it comes from. */
export type MountOf = { readonly mount: VolumeMount; readonly volume: number };

/**
 * What the volumes of a machine mount. A volume that mounts storage has the data of that storage in
 * it, each in a folder of its own that cannot be written.
 */
export function requestMounts(
  { volumes = [] }: BrokerCompute,
  shelves: Shelves,
): readonly MountOf[] {
  return volumes.flatMap(({ resource, path = '', mode }, volume) => {
    const shelf = resource === undefined ? undefined : findShelf(shelves, resource);
    if (shelf === undefined) return [];
    const isRead = modeOf(mode, shelf) === 'r';
    const whole = { mount: { name: shelf.name, path, mode: modeOf(mode, shelf) }, volume };
    const inside = shelf.holds.map(({ name }) => ({
      mount: { name, path: `${path.replace(/\/+$/, '')}/${name}`, mode: 'r' as const },
      volume,
    }));
    // Nothing can be mounted inside of a volume that cannot be written.
    return inside.length > 0 && isRead ? inside : [whole, ...inside];
  });
}

/** The volumes of a machine. */
export function readMounts(
  notes: Notes,
  { item, path }: At<BrokerCompute>,
  shelves: Shelves,
  storage: readonly AskStorage[],
): readonly VolumeMount[] {
  item.volumes?.forEach((volume, index) => {
    const at = `${path}.volumes[${index}]`;
    noteUnknown(notes, volume, ['path', 'mode', 'resource'], at);
    noteKind(notes, volume, at);
    const shelf = noteResource(notes, volume.resource, shelves, `${at}.resource`);
    if (volume.mode !== undefined && !MODES.has(volume.mode.toUpperCase()))
      notes.note({
        code: 'volume-mode-unknown',
        path: `${at}.mode`,
        asked: textQuantity(shown(volume.mode)),
        limit: textQuantity('READONLY, READWRITE'),
      });
    const found = storage.find(({ name }) => name === shelf?.name);
    if (shelf !== undefined && modeOf(volume.mode, shelf) === 'rw' && isReadOnly(found))
      notes.note({
        code: 'external-read-only',
        path: `${at}.mode`,
        asked: textQuantity(volume.mode ?? ''),
        limit: textQuantity('READONLY'),
      });
    noteVolumePath(notes, volume.path ?? '', `${at}.path`);
  });
  const placed = requestMounts(item, shelves).map(({ mount, volume }): PlacedMount => ({
    mount,
    name: `${path}.volumes[${volume}].resource`,
    path: `${path}.volumes[${volume}].path`,
  }));
  noteMounts(notes, placed, storage);
  return placed.map(({ mount }) => mount);
}

/** Notes data that no machine mounts, and lasting storage that several machines write. */
export function noteTogether(
  notes: Notes,
  ask: Pick<Ask, 'parts' | 'storage'>,
  { view, shelves }: Pick<OpenedRequest, 'view' | 'shelves'>,
): void {
  noteUnmounted(notes, ask, (item) => pathOfItem(view, item));
  const modePath = (part: number, mount: number): string => {
    const { item, path } = view.compute[part] ?? { item: {}, path: view.computePath };
    return `${path}.volumes[${requestMounts(item, shelves)[mount]?.volume ?? 0}].mode`;
  };
  noteSeveralWriters(notes, ask, modePath, ['READWRITE', 'READONLY']);
}

/** Modes of this vocabulary, and those of the draft before it. */
const MODES: ReadonlyMap<string, 'r' | 'rw'> = new Map([
  ['READONLY', 'r'],
  ['READWRITE', 'rw'],
  ['RO', 'r'],
  ['R', 'r'],
  ['RW', 'rw'],
]);

/** Storage is written unless the client says otherwise; data is read. */
function modeOf(mode: string | undefined, { what }: Shelf): 'r' | 'rw' {
  return MODES.get(mode?.toUpperCase() ?? '') ?? (what === 'data' ? 'r' : 'rw');
}

type BrokerVolume = NonNullable<BrokerCompute['volumes']>[number];

function noteKind(notes: Notes, { kind, type }: BrokerVolume, at: string): void {
  const uri = kind ?? type;
  if (uri === undefined || kindNamed(uri, 'volume') !== undefined) return;
  notes.note({
    code: 'unknown-storage-type',
    path: `${at}.${kind === undefined ? 'type' : 'kind'}`,
    asked: textQuantity(shown(uri)),
    detail: 'A volume is a simple-volume-mount.',
  });
}

function noteResource(
  notes: Notes,
  resource: string | undefined,
  shelves: Shelves,
  path: string,
): Shelf | undefined {
  const shelf = resource === undefined ? undefined : findShelf(shelves, resource);
  return (
    shelf ??
    notes.note({
      code: 'unknown-volume',
      path,
      ...(resource === undefined ? {} : { asked: textQuantity(shown(resource)) }),
    })
  );
}
