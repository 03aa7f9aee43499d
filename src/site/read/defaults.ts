import { fromCores, fromGibibytes } from '../../words/units.ts';
import type { MapNode, Reader } from '../../yaml/index.ts';
import type { Site } from '../site.ts';
import { readCores, readSize } from './fields.ts';

/** Reads `defaults`: the amounts for an ask that names none. */
export function readDefaults(reader: Reader, node: MapNode | undefined): Site['defaults'] {
  const found = node ? reader.expectKeys(node, 'defaults', ['cores', 'memory', 'scratch']) : {};
  return {
    cores: readCores(reader, found.cores, 'defaults.cores', fromCores(2)),
    memory: readSize(reader, found.memory, 'defaults.memory', fromGibibytes(2)),
    scratch: readSize(reader, found.scratch, 'defaults.scratch', fromGibibytes(20)),
    gpus: undefined,
  };
}
