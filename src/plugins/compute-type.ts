import type { BlockFault, ComputeType } from '../compute/type.ts';
import type { ComputePlugin } from './plugin.ts';
import { compileSchema } from './schema.ts';

/** A plug-in's type of compute resource. @throws Error if one of its schemas is invalid */
export function computeTypeOf(plugin: ComputePlugin): ComputeType {
  const [checkBlock, checkAttributes] = [
    compileSchema(plugin.schema),
    compileSchema(plugin.attributes),
  ];
  return {
    name: plugin.name,
    uri: plugin.type,
    aliases: plugin.aliases ?? [],
    everywhere: false,
    faultsOfBlock: (block): readonly BlockFault[] => checkBlock(block),
    faultsOfAttributes: (attributes): readonly BlockFault[] => checkAttributes(attributes),
    mismatch: (block, attributes) => {
      const text = plugin.check(block, attributes);
      return text === undefined ? undefined : { text: String(text) };
    },
  };
}
