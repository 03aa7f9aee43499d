import { DEFAULT_PROCESS_SETTINGS, type ProcessJobSettings } from '../../runners/engine.ts';
import { readIsolation } from './isolation.ts';
import { readDevices, readPaths } from './devices.ts';
import { readTaskCount, readWord, type EngineNode } from './values.ts';

const KEYS = ['isolation', 'network', 'processes', 'paths', 'gpus'] as const;

/**
 * The settings of jobs that are processes of the machine (key `process` of a destination);
 * undefined without that key.
 */
export function readProcess({ reader, node, what }: EngineNode): ProcessJobSettings | undefined {
  const map = node && reader.expectMap(node, what);
  if (map === undefined) return undefined;
  const found = reader.expectKeys(map, what, KEYS);
  return {
    isolation: readIsolation(reader, found.isolation, what) ?? DEFAULT_PROCESS_SETTINGS.isolation,
    network: readWord(reader, found.network, `${what}.network`, ['none', 'host']),
    tasks: readTaskCount(
      reader,
      found.processes,
      `${what}.processes`,
      DEFAULT_PROCESS_SETTINGS.tasks,
    ),
    paths: readPaths(reader, found.paths, `${what}.paths`, '/srv/tools'),
    gpus: readDevices(reader, found.gpus, `${what}.gpus`, 'files'),
  };
}
