import type { Documents } from '../../contract.ts';
import { durationOf, secondsOf } from '../../time.ts';
import { extraOf, gibOf, isFields, listOf, sizeOf, textOf } from './values.ts';

type Resources = Documents['Resources'];
type Item = Documents['StorageItem'];
type Volume = Documents['Volume'];

/** What the form shows of storage: space for the run, and a folder that stays after it. */
export type StorageDraft = {
  /** GiB; empty: what the site gives */
  readonly scratch: string;
  /** GiB; empty: no folder stays */
  readonly kept: string;
  /** its place in the job */
  readonly keptFolder: string;
  /** empty: one */
  readonly keptDays: string;
};

type Kind = {
  readonly type: string;
  /** of a new item, and the folder of scratch space */
  readonly name: string;
};

/** An item that the form shows, and the volume that mounts it. */
type Found = { readonly item: Item; readonly volume: Volume | undefined };

const TYPES = 'https://www.purl.org/ivoa-net/storage-type';
const SCRATCH: Kind = { type: `${TYPES}/ephemeral`, name: 'scratch' };
const KEPT: Kind = { type: `${TYPES}/persistent`, name: 'kept' };
const DAY = 86_400;

/** A form without storage. */
export const NO_STORAGE: StorageDraft = { scratch: '', kept: '', keptFolder: 'kept', keptDays: '' };

/** The storage of a document. */
export function storageOf(resources: Resources | undefined): StorageDraft {
  const kept = found(resources, KEPT);
  return {
    scratch: gibOf(found(resources, SCRATCH)?.item.size),
    kept: gibOf(kept?.item.size),
    keptFolder: kept?.volume?.path ?? NO_STORAGE.keptFolder,
    keptDays: textOf(kept && daysOf(kept.item)),
  };
}

/** Resources with the storage of a form; what did not change keeps its spelling. */
export function withStorage(
  resources: Resources | undefined,
  now: StorageDraft,
  before: StorageDraft = NO_STORAGE,
): Resources | undefined {
  const isNew = (...keys: readonly (keyof StorageDraft)[]): boolean =>
    keys.some((key) => now[key] !== before[key]);
  const scratched = isNew('scratch')
    ? changed(resources, SCRATCH, now.scratch === '' ? undefined : sizedOf(now.scratch))
    : resources;
  if (now.kept === '') return isNew('kept') ? changed(scratched, KEPT, undefined) : scratched;
  return isNew('kept', 'keptFolder', 'keptDays')
    ? changed(
        scratched,
        KEPT,
        {
          ...(isNew('kept') && sizedOf(now.kept)),
          ...(isNew('keptDays') && { lifetime: lifetimeOf(now.keptDays) }),
        },
        now.keptFolder,
      )
    : scratched;
}

/** Paths of what the form does not show of storage and volumes. */
export function unseenStorage(resources: Resources | undefined): readonly string[] {
  const [scratch, kept] = [found(resources, SCRATCH), found(resources, KEPT)];
  const shown = (item: Item): readonly string[] => [
    'type',
    'size',
    ...(item === kept?.item ? ['lifetime'] : []),
    ...([SCRATCH.name, KEPT.name].includes(item.name) ? ['name'] : []),
  ];
  return [
    ...itemsOf(resources).flatMap((item, index) =>
      item === scratch?.item || item === kept?.item
        ? extraOf(item, shown(item)).map((key) => `resources.storage[${index}].${key}`)
        : [`resources.storage[${index}]`],
    ),
    ...volumesOf(resources).flatMap((volume, index) =>
      volume === kept?.volume || (volume === scratch?.volume && volume.path === SCRATCH.name)
        ? []
        : [`resources.compute[0].volumes[${index}]`],
    ),
  ];
}

/** The first item of a kind that the form can show. */
function found(resources: Resources | undefined, kind: Kind): Found | undefined {
  return itemsOf(resources)
    .filter((item) => isFields(item) && item.type === kind.type)
    .map((item) => ({ item, volumes: volumesOf(resources).filter((one) => isOf(one, item.name)) }))
    .filter(({ item, volumes }) => isSimple(item, volumes))
    .map(({ item, volumes: [volume] }) => ({ item, volume }))[0];
}

/** Has an item a size, and at most one place, where it is written? A folder that stays needs one. */
function isSimple(item: Item, volumes: readonly Volume[]): boolean {
  const isKept = item.type === KEPT.type;
  return (
    typeof item.name === 'string' &&
    gibOf(item.size) !== '' &&
    item.objectid === undefined &&
    volumes.length <= 1 &&
    (!isKept || (volumes.length === 1 && daysOf(item) !== undefined)) &&
    volumes.every(
      (volume) =>
        typeof volume.path === 'string' &&
        ['rw', undefined].includes(volume.mode) &&
        extraOf(volume, ['name', 'path', 'mode']).length === 0,
    )
  );
}

/** Adds or changes the item of a kind; without fields it goes, with its mounts. */
function changed(
  resources: Resources | undefined,
  kind: Kind,
  fields: Partial<Item> | undefined,
  path?: string,
): Resources | undefined {
  const old = found(resources, kind);
  const items = itemsOf(resources);
  if (fields === undefined) return old && without(resources, old.item);
  if (old === undefined) {
    const name = freeName(kind.name, [...items, ...volumesOf(resources)]);
    const volume = { name, path: path ?? kind.name, mode: 'rw' };
    return withMounts(
      { ...resources, storage: [...items, asSaid({ name, type: kind.type, ...fields })] },
      [...volumesOf(resources), volume],
    );
  }
  return withMounts(
    {
      ...resources,
      storage: items.map((item) => (item === old.item ? asSaid({ ...item, ...fields }) : item)),
    },
    volumesOf(resources).map((volume) =>
      volume === old.volume && path !== undefined ? { ...volume, path } : volume,
    ),
  );
}

/** Resources with other mounts of the first machine. */
function withMounts(resources: Resources, volumes: readonly Volume[]): Resources {
  const [machine, ...machines] = listOf(resources.compute);
  return volumes.length === 0
    ? resources
    : { ...resources, compute: [{ ...machine, volumes: [...volumes] }, ...machines] };
}

function without(resources: Resources | undefined, gone: Item): Resources {
  const { storage: _, compute, ...others } = resources ?? {};
  const storage = itemsOf(resources).filter((item) => item !== gone);
  return {
    ...others,
    ...(compute !== undefined && {
      compute: listOf(compute).map(({ volumes, ...machine }) => {
        const left = listOf(volumes).filter((volume) => !isOf(volume, gone.name));
        return left.length === 0 ? machine : { ...machine, volumes: left };
      }),
    }),
    ...(storage.length > 0 && { storage }),
  };
}

function itemsOf(resources: Resources | undefined): readonly Item[] {
  return listOf(resources?.storage);
}

/** The mounts of the first machine. */
function volumesOf(resources: Resources | undefined): readonly Volume[] {
  return listOf(listOf(resources?.compute)[0]?.volumes);
}

function isOf(volume: Volume, name: string): boolean {
  return isFields(volume) && volume.name === name;
}

function freeName(name: string, others: readonly (Item | Volume)[]): string {
  const taken = new Set(others.map((other) => Object(other).name));
  for (let number = 2, free = name; ; number += 1, free = `${name}-${number - 1}`)
    if (!taken.has(free)) return free;
}

function sizedOf(gib: string): Pick<Item, 'size'> {
  return { size: sizeOf(gib) };
}

/** A new item without the key of a lifetime that is empty. */
function asSaid(item: Item): Item {
  if (item.lifetime === '') delete item.lifetime;
  return item;
}

/** Empty: as long as the site keeps it. */
function lifetimeOf(days: string): string {
  const count = Number(days);
  if (days === '') return '';
  return Number.isInteger(count) ? `P${count}D` : durationOf(count * DAY);
}

/** Days that an item stays: empty for those of the site, undefined for a text that is no length. */
function daysOf({ lifetime }: Item): string | undefined {
  if (lifetime === undefined) return '';
  const seconds = secondsOf(textOf(lifetime).replace(/^(?=\d)/, 'P'));
  return seconds === undefined ? undefined : String(Math.round((seconds / DAY) * 10_000) / 10_000);
}
