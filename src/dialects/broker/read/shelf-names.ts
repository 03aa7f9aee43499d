import { textQuantity } from '../../../planner/refusal.ts';
import { shown } from '../../../tasks/task.ts';
import type { Notes } from '../../reading/notes.ts';
import { findShelf, type Shelves } from '../shelves.ts';
import { nameIn, type At, type BrokerData, type BrokerStorage } from '../view.ts';

/** Volumes find resources by their names, so each has its own. */
export function noteNames(notes: Notes, items: readonly At<BrokerStorage | BrokerData>[]): void {
  items.forEach(({ item, path }, index) => {
    const name = nameIn(item);
    if (name === undefined || !items.slice(0, index).some((one) => nameIn(one.item) === name))
      return;
    notes.note({
      code: 'duplicate-name',
      path: `${path}.${item.meta?.name === undefined ? 'name' : 'meta.name'}`,
      asked: textQuantity(shown(name)),
    });
  });
}

/** Data may say in which storage it is to be. */
export function noteHome(notes: Notes, { item, path }: At<BrokerData>, shelves: Shelves): void {
  const { storage } = item;
  if (storage === undefined || findShelf(shelves, storage, 'storage') !== undefined) return;
  notes.note({
    code: 'storage-value-invalid',
    path: `${path}.storage`,
    asked: textQuantity(shown(storage)),
    detail: 'No storage resource of the request has this name.',
  });
}

/** Storage may list its data. */
export function noteListed(
  notes: Notes,
  { item, path }: At<BrokerStorage>,
  shelves: Shelves,
): void {
  item.data?.forEach((name, index) => {
    if (findShelf(shelves, name, 'data') !== undefined) return;
    notes.note({
      code: 'storage-value-invalid',
      path: `${path}.data[${index}]`,
      asked: textQuantity(shown(name)),
      detail: 'No data resource of the request has this name.',
    });
  });
}
