import { DEFAULT_PROCESS_SETTINGS, type ProcessJobSettings } from '../../runners/engine.ts';
import type { Node, Reader } from '../../yaml/index.ts';
import { readIsolation } from './isolation.ts';
import { readDevices, readPaths } from './devices.ts';

const KEYS = ['isolation', 'network', 'processes', 'paths', 'gpus'] as const;

/**
 * The settings of jobs that are processes of the machine (key `process` of a
 * destination); undefined without that key.
 */
export function readProcess(
  reader: Reader,
  node: Node | undefined,
  what: string,
): ProcessJobSettings | undefined {
  const map = node && reader.expectMap(node, what);
  if (map === undefined) return undefined;
  const found = reader.expectKeys(map, what, KEYS);
  return {
    isolation: readIsolation(reader, found.isolation, what) ?? DEFAULT_PROCESS_SETTINGS.isolation,
    network:
      (found.network &&
        reader.expectOneOf(found.network, `${what}.network`, ['none', 'host'] as const)) ??
      DEFAULT_PROCESS_SETTINGS.network,
    tasks:
      (found.processes &&
        reader.expectInt(found.processes, `${what}.processes`, { min: 1, max: 100_000 })) ??
      DEFAULT_PROCESS_SETTINGS.tasks,
    paths: readPaths(reader, found.paths, `${what}.paths`, '/srv/tools'),
    gpus: readDevices(reader, found.gpus, `${what}.gpus`, 'files'),
  };
}
