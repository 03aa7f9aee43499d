import { DEFAULT_PROCESS_SETTINGS, type ProcessJobSettings } from './settings.ts';
import type { Node, Reader } from '../../yaml/index.ts';
import { readIsolation } from '../reading/isolation.ts';
import { readDevices, readPaths } from '../reading/devices.ts';
import { readTaskCount, readWord, type EngineNode } from '../reading/values.ts';

const KEYS = ['isolation', 'network', 'processes', 'paths', 'gpus'] as const;

/**
 * The settings of jobs that are processes of the machine (key `process` of a destination);
 * undefined without that key.
 */
export function readProcess({ reader, node, what }: EngineNode): ProcessJobSettings | undefined {
  const found = reader.fields(node, what, KEYS);
  if (found === undefined) return undefined;
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

/** The Python of the whole site, an absolute path. */
export function readPython(
  reader: Reader,
  node: Node | undefined,
  what: string,
): string | undefined {
  const { python } = reader.section(node, what, ['python']);
  const path = reader.expectString(python, `${what}.python`);
  if (python === undefined || path === undefined) return undefined;
  return path.startsWith('/')
    ? path
    : reader.problem(python, `${what}.python must be an absolute path, not '${path}'`);
}
