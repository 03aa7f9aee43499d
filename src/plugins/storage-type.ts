import type { StorageType } from '../storage/registry.ts';
import type { StoragePlugin } from './plugin.ts';
import { compileSchema } from './schema.ts';

/** A plug-in's storage type for asks. @throws Error if its schema is invalid */
export function storageTypeOf(plugin: StoragePlugin): StorageType {
  return {
    name: plugin.name,
    uri: plugin.type,
    aliases: plugin.aliases ?? [],
    isWritable: plugin.save !== undefined,
    faultsOf: compileSchema(plugin.schema),
  };
}
