import type { components } from '../../generated/api.d.ts';
import type { EphemeralStorage } from '../../planner/ask.ts';
import { textOf } from '../../planner/refusal.ts';
import { shown } from '../../tasks/task.ts';
import { mebibytes } from '../../words/units.ts';
import { readSize, unknownKeys, type Notes } from './notes.ts';

type StorageItem = components['schemas']['StorageItem'];

/** Type URIs of storage that lives as long as the job: ours, and those of the later drafts. */
const EPHEMERAL: ReadonlySet<string> = new Set([
  'https://www.purl.org/ivoa-net/storage-type/ephemeral',
  'https://www.purl.org/ivoa.net/storage-types/ephemeral-storage',
  'uri:ephemeral-storage',
]);

/** A name becomes a directory and part of the name of an environment variable. */
const STORAGE_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62})$/;

/** The storage items of the ask (draft 2023, level 2b). */
export const readStorage = (notes: Notes, items: readonly StorageItem[]): readonly EphemeralStorage[] =>
  items.map((item, index): EphemeralStorage => {
    const path = `resources.storage[${index}]`;
    if (!EPHEMERAL.has(item.type)) {
      notes.note({ code: 'unknown-storage-type', path: `${path}.type`, asked: textOf(shown(item.type)) });
    } else {
      unknownKeys(notes, item, ['name', 'type', 'size'], path);
    }
    if (!STORAGE_NAME.test(item.name)) {
      notes.note({ code: 'storage-name-invalid', path: `${path}.name`, asked: textOf(shown(item.name)) });
    }
    if (items.findIndex(({ name }) => name === item.name) < index) {
      notes.note({ code: 'duplicate-name', path: `${path}.name`, asked: textOf(shown(item.name)) });
    }
    return { name: item.name, size: readSize(notes, item.size, `${path}.size`) ?? mebibytes(0) };
  });
