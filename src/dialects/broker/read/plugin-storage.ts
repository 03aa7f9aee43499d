import type { ExternalStorage } from '../../../planner/ask.ts';
import type { StorageType } from '../../../storage/registry.ts';
import { shown } from '../../../tasks/task.ts';
import type { Notes } from '../../reading/notes.ts';
import type { At, BrokerData, BrokerStorage } from '../view.ts';
import { readSizeBounds } from './amounts.ts';
import { noteTwoKinds, ownWordsOf } from './known-keys.ts';

/** Storage or data of a type that a plug-in adds; every key that is not ours is for the plug-in. */
export function readPluginStorage(
  notes: Notes,
  { item, path }: At<BrokerStorage | BrokerData>,
  name: string,
  type: StorageType,
): ExternalStorage {
  noteTwoKinds(notes, item, path);
  const { size, storage: _storage, data: _data, units: _units, ...spec } = ownWordsOf(item);
  for (const { key, text } of type.faultsOf(spec))
    notes.note({
      code: 'storage-value-invalid',
      path: key === '' ? path : `${path}.${shown(key)}`,
      detail: `${text}.`,
    });
  const block = typeof size === 'number' ? { min: size } : Object(size ?? {});
  const { min } = readSizeBounds(notes, { item: block, path: `${path}.size` });
  return {
    kind: 'external',
    name,
    size: min,
    source: { kind: 'plugin', name: type.name, spec },
    isWritable: type.isWritable,
    asked: { type: type.uri, ...spec },
  };
}
