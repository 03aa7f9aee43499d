import type { components } from '../../generated/api.d.ts';
import type { AskStorage } from '../../planner/ask.ts';
import { textQuantity } from '../../planner/refusal.ts';
import type { StorageType } from '../../storage/registry.ts';
import { DIRECTORY_TYPE, S3_TYPE } from '../../storage/place.ts';
import { EPHEMERAL_URIS, PERSISTENT_URIS } from '../../storage/uris.ts';
import { shown } from '../../tasks/task.ts';
import { parseObjectId, type ObjectId } from '../../words/ids.ts';
import { mebibytes, type Mebibytes } from '../../words/units.ts';
import { findExternal } from '../reading/external.ts';
import { noteSize, type Notes } from '../reading/notes.ts';
import { unknownKeys } from './unknown-keys.ts';
import { readLength } from '../reading/time.ts';
import type { Vocabulary } from '../../planner/vocabulary.ts';

type StorageItem = components['schemas']['StorageItem'];

const EPHEMERAL: ReadonlySet<string> = new Set(EPHEMERAL_URIS);
const PERSISTENT: ReadonlySet<string> = new Set(PERSISTENT_URIS);

/** A name becomes a directory and a part of an environment variable's name. */
const STORAGE_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62})$/;

const ONE_DAY = '1D';

/** The types of managed storage that offers print. */
const MANAGED: ReadonlySet<string> = new Set([DIRECTORY_TYPE, S3_TYPE]);

/** The storage items of the ask (draft 2023, level 2b). */
export function readSeedStorage(
  notes: Notes,
  items: readonly StorageItem[],
  vocabulary: Vocabulary,
): readonly AskStorage[] {
  const storage = items.map((item, index): AskStorage => {
    const path = pathOfItem(index);
    const read = readKind(notes, item, index, vocabulary);
    if (!STORAGE_NAME.test(item.name))
      notes.note({
        code: 'storage-name-invalid',
        path: `${path}.name`,
        asked: textQuantity(shown(item.name)),
      });
    if (items.findIndex(({ name }) => name === item.name) < index) {
      notes.note({
        code: 'duplicate-name',
        path: `${path}.name`,
        asked: textQuantity(shown(item.name)),
      });
    }
    return read ?? placeholder(item.name);
  });
  noteRepeatedObjects(notes, storage);
  return storage;
}

function pathOfItem(index: number): string {
  return `resources.storage[${index}]`;
}

function readKind(
  notes: Notes,
  item: StorageItem,
  index: number,
  vocabulary: Vocabulary,
): AskStorage | undefined {
  const path = pathOfItem(index);
  const { name, type } = item;
  if (EPHEMERAL.has(type)) {
    unknownKeys(notes, item, ['name', 'type', 'size'], path);
    return {
      kind: 'ephemeral',
      name,
      size: noteSize(notes, item.size, `${path}.size`) ?? vocabulary.scratch,
    };
  }
  if (PERSISTENT.has(type)) return readNewOrKept(notes, item, index, vocabulary);
  if (item.lifecycle === 'managed' && MANAGED.has(type))
    return readOffered(notes, item, index, vocabulary);
  const kind = findExternal(type);
  const plugin = vocabulary.storageTypes.find(type);
  if (kind === undefined && plugin === undefined)
    return notes.note({
      code: 'unknown-storage-type',
      path: `${path}.type`,
      asked: textQuantity(shown(type)),
    });
  const size = noteSize(notes, item.size, `${path}.size`);
  if (plugin !== undefined) return readPlugin(notes, item, size, plugin, path);
  unknownKeys(notes, item, ['name', 'type', 'size', ...(kind?.keys ?? [])], path);
  const source = kind?.read(notes, item, path, vocabulary);
  return source && { kind: 'external', name, size, source, isWritable: false, asked: { ...item } };
}

function readNewOrKept(
  notes: Notes,
  item: StorageItem,
  index: number,
  { newObject }: Vocabulary,
): AskStorage | undefined {
  const path = pathOfItem(index);
  const { name, objectid } = item;
  if (objectid !== undefined) {
    unknownKeys(notes, item, ['name', 'type', 'objectid'], path);
    const object = readObjectId(notes, objectid, path);
    return object && { kind: 'kept', name, object, found: undefined, item: index };
  }
  unknownKeys(notes, item, ['name', 'type', 'size', 'lifetime', 'objectid'], path);
  if (item.size === undefined)
    return notes.note({ code: 'storage-incomplete', path: `${path}.size` });
  const size = noteSize(notes, item.size, `${path}.size`);
  const lifetime = readLength(notes, item.lifetime ?? ONE_DAY, `${path}.lifetime`);
  return size === undefined || lifetime === undefined
    ? undefined
    : { kind: 'persistent', name, size, lifetime, object: newObject(), item: index };
}

/** A volume of an earlier offer: its object, or a new one like it if the offer was not accepted. */
function readOffered(
  notes: Notes,
  item: StorageItem,
  index: number,
  { newObject }: Vocabulary,
): AskStorage | undefined {
  const path = pathOfItem(index);
  const { name, type, endpoint, objectid } = item;
  unknownKeys(
    notes,
    item,
    ['name', 'type', 'endpoint', 'objectid', 'lifecycle', 'lifetime', 'size'],
    path,
  );
  if (objectid === undefined)
    return notes.note({ code: 'storage-incomplete', path: `${path}.objectid` });
  const object = readObjectId(notes, objectid, path);
  if (object === undefined) return undefined;
  if (item.lifetime !== undefined && item.size === undefined)
    return notes.note({ code: 'storage-incomplete', path: `${path}.size` });
  const size = noteSize(notes, item.size, `${path}.size`);
  const lifetime = readLength(notes, item.lifetime, `${path}.lifetime`);
  const place = { type, endpoint };
  const otherwise =
    size === undefined || lifetime === undefined
      ? {}
      : {
          otherwise: {
            kind: 'persistent' as const,
            name,
            size,
            lifetime,
            object: newObject(),
            place,
            item: index,
          },
        };
  return {
    kind: 'kept',
    name,
    object,
    found: undefined,
    said: { place, size },
    ...otherwise,
    item: index,
  };
}

function readObjectId(notes: Notes, text: string, path: string): ObjectId | undefined {
  return (
    parseObjectId(text.toLowerCase()) ??
    notes.note({
      code: 'unknown-object',
      path: `${path}.objectid`,
      asked: textQuantity(shown(text)),
    })
  );
}

function readPlugin(
  notes: Notes,
  item: StorageItem,
  size: Mebibytes | undefined,
  type: StorageType,
  path: string,
): AskStorage {
  const own = new Set(['name', 'type', 'size']);
  const spec = Object.fromEntries(Object.entries(item).filter(([key]) => !own.has(key)));
  for (const { key, text } of type.faultsOf(spec)) {
    notes.note({
      code: 'storage-value-invalid',
      path: key === '' ? path : `${path}.${shown(key)}`,
      detail: `${text}.`,
    });
  }
  return {
    kind: 'external',
    name: item.name,
    size,
    source: { kind: 'plugin', name: type.name, spec },
    isWritable: type.isWritable,
    asked: { ...item },
  };
}

/** Stands for an item that was not understood, so that its volumes add no further reasons. */
function placeholder(name: string): AskStorage {
  return { kind: 'ephemeral', name, size: mebibytes(0) };
}

/** Notes two volumes with one object: each would overwrite the other. */
function noteRepeatedObjects(notes: Notes, storage: readonly AskStorage[]): void {
  const kept = storage.filter((item) => item.kind === 'kept');
  kept.forEach(({ object, item }, index) => {
    if (kept.findIndex((other) => other.object === object) < index)
      notes.note({
        code: 'duplicate-object',
        path: `${pathOfItem(item)}.objectid`,
        asked: textQuantity(object),
      });
  });
}
