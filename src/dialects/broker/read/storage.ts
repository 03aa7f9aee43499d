import type { AskStorage, Bounds } from '../../../planner/ask.ts';
import { textQuantity } from '../../../planner/refusal.ts';
import type { Vocabulary } from '../../../planner/vocabulary.ts';
import { shown } from '../../../tasks/task.ts';
import { MAX_MEBIBYTES, mebibytes, type Mebibytes } from '../../../words/units.ts';
import { noteSize, type Notes } from '../../reading/notes.ts';
import { kindNamed } from '../kinds.ts';
import type { At, BrokerStorage, RequestView } from '../view.ts';
import { gibibytesPer, readSizeBounds } from './amounts.ts';
import { readData } from './data.ts';
import { noteUnknown } from './known-keys.ts';
import { isExtraLasting, noteStorageExtras, readLasting } from './lasting.ts';
import { readPluginStorage } from './plugin-storage.ts';
import { noteHome, noteListed, noteNames } from './shelf-names.ts';
import type { Shelves } from '../shelves.ts';

/** The storage and the data of a request, in the order of the shelves. */
export function readStored(
  notes: Notes,
  { storage, data }: RequestView,
  shelves: Shelves,
  vocabulary: Vocabulary,
): readonly AskStorage[] {
  noteNames(notes, [...storage, ...data]);
  const fetched = data.map((at, index) => {
    const name = shelves[storage.length + index]?.name ?? '';
    noteHome(notes, at, shelves);
    return readData(notes, at, name, vocabulary) ?? placeholder(name);
  });
  const kept = storage.map((at, index) => {
    const shelf = shelves[index];
    const name = shelf?.name ?? '';
    noteListed(notes, at, shelves);
    const inside = fetched.filter((one) => shelf?.holds.some((held) => held.name === one.name));
    const least = inside.reduce((sum, one) => sum + (sizeOf(one) ?? 0), 0);
    return readPlace(notes, at, { name, item: index, least }, vocabulary) ?? placeholder(name);
  });
  // What is inside of a storage resource is in the size of that.
  const held = new Set(shelves.flatMap(({ holds }) => holds.map(({ name }) => name)));
  return [
    ...kept,
    ...fetched.map((one) =>
      one.kind === 'external' && held.has(one.name) ? { ...one, size: undefined } : one,
    ),
  ];
}

type Named = { readonly name: string; readonly item: number; readonly least: number };

function readPlace(
  notes: Notes,
  at: At<BrokerStorage>,
  named: Named,
  vocabulary: Vocabulary,
): AskStorage | undefined {
  const { item, path } = at;
  const uri = item.kind ?? item.type;
  const kind = uri === undefined ? 'ephemeral' : kindNamed(uri, 'storage');
  if (kind === undefined) {
    const plugin = vocabulary.storageTypes.find(uri ?? '');
    if (plugin !== undefined) return readPluginStorage(notes, at, named.name, plugin);
    return notes.note({
      code: 'unknown-storage-type',
      path: `${path}.${item.kind === undefined ? 'type' : 'kind'}`,
      asked: textQuantity(shown(uri ?? '')),
    });
  }
  const lasting = kind === 'persistent' ? ['lifetime', 'object'] : [];
  noteUnknown(notes, item, ['size', 'units', 'data', 'extras', ...lasting], path);
  noteStorageExtras(notes, at);
  const { min, max } = readRoom(notes, at, named.least);
  if (kind !== 'ephemeral' || isExtraLasting(at))
    return readLasting(notes, at, { ...named, size: min }, vocabulary);
  const usual = mebibytes(Math.min(vocabulary.scratch, max ?? Infinity));
  return { kind, name: named.name, size: min ?? usual };
}

/** What is asked for, and room for the data whose size is known. */
function readRoom(
  notes: Notes,
  { item, path }: At<BrokerStorage>,
  least: number,
): Bounds<Mebibytes> {
  const at = `${path}.size`;
  const { min, max } =
    typeof item.size === 'number'
      ? { min: noteSize(notes, item.size * gibibytesPer(item.units ?? 'GiB'), at), max: undefined }
      : readSizeBounds(notes, { item: item.size, path: at }, item.units);
  if (max !== undefined && least > max)
    notes.note({
      code: 'storage-value-invalid',
      path: `${at}.max`,
      detail: `The data in it has ${least} MiB.`,
    });
  if (min === undefined && least === 0) return { min, max };
  return { min: mebibytes(Math.min(Math.max(min ?? 0, least), MAX_MEBIBYTES)), max };
}

/** Stands for an item that was not understood, so that its volumes add no further reasons. */
function placeholder(name: string): AskStorage {
  return { kind: 'ephemeral', name, size: mebibytes(0) };
}

function sizeOf(item: AskStorage): number | undefined {
  return item.kind === 'external' ? item.size : undefined;
}
