import { posix } from 'node:path';
import { PROCESS_TERMS, type Device, type ProcessTerms } from '../../runners/engine.ts';
import type { Node, Reader } from '../../yaml/index.ts';

const KEYS = ['isolation', 'network', 'processes', 'paths', 'gpus'] as const;
/** What goes into CUDA_VISIBLE_DEVICES, where commas are between devices. */
const DEVICE_ID = /^[\w./:=-]{1,100}$/;

const isPlain = (path: string): boolean => posix.isAbsolute(path) && posix.normalize(path) === path && !path.endsWith('/');

const readPaths = (reader: Reader, node: Node | undefined, what: string, example: string): readonly string[] => {
  const paths = node === undefined ? [] : (reader.expectStrings(node, what) ?? []);
  for (const path of paths) {
    if (node !== undefined && !isPlain(path)) reader.problem(node, `${what} cannot have '${path}'`, `absolute paths without "..", such as ${example}`);
  }
  return paths;
};

const readDevice = (reader: Reader, node: Node, what: string): Device | undefined => {
  const map = reader.expectMap(node, what);
  if (map === undefined) return undefined;
  const found = reader.expectKeys(map, what, ['id', 'files']);
  if (found.id === undefined) return reader.problem(node, `${what} needs 'id'`, 'as programs name it: a UUID such as GPU-8f3c0d52-…, or an index in quotes');
  const id = reader.expectString(found.id, `${what}.id`);
  if (id !== undefined && !DEVICE_ID.test(id)) return reader.problem(found.id, `${what}.id cannot be '${id}'`, 'letters, digits and any of . / : = _ -');
  const files = readPaths(reader, found.files, `${what}.files`, '/dev/nvidia0');
  return id === undefined ? undefined : { id, files };
};

const readDevices = (reader: Reader, node: Node | undefined, what: string): ProcessTerms['gpus'] => {
  const map = node && reader.expectMap(node, what);
  const entries = (map ? reader.entries(map, what) : []).map(({ name, value }) => {
    const list = reader.expectSeq(value, `${what} '${name}'`)?.items ?? [];
    return [name, list.map((item, index) => readDevice(reader, item, `${what} '${name}'[${index}]`)).filter((device) => device !== undefined)] as const;
  });
  const ids = entries.flatMap(([, devices]) => devices.map(({ id }) => id));
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (node !== undefined && twice !== undefined) reader.problem(node, `${what} names the device '${twice}' twice`);
  return Object.fromEntries(entries);
};

/** The settings of jobs that are processes of the machine (key `process` of a destination); undefined without that key. */
export const readProcess = (reader: Reader, node: Node | undefined, what: string): ProcessTerms | undefined => {
  const map = node && reader.expectMap(node, what);
  if (map === undefined) return undefined;
  const found = reader.expectKeys(map, what, KEYS);
  return {
    isolation: (found.isolation && reader.expectOneOf(found.isolation, `${what}.isolation`, ['required', 'preferred', 'none'] as const)) ?? PROCESS_TERMS.isolation,
    network: (found.network && reader.expectOneOf(found.network, `${what}.network`, ['none', 'host'] as const)) ?? PROCESS_TERMS.network,
    tasks: (found.processes && reader.expectInt(found.processes, `${what}.processes`, { min: 1, max: 100_000 })) ?? PROCESS_TERMS.tasks,
    paths: readPaths(reader, found.paths, `${what}.paths`, '/srv/tools'),
    gpus: readDevices(reader, found.gpus, `${what}.gpus`),
  };
};

/** Types of which a destination promises more devices than are named, when any are. */
export const missingDevices = ({ gpus }: Pick<ProcessTerms, 'gpus'>, promised: ReadonlyMap<string, number>): readonly string[] =>
  [...promised].filter(([type, count]) => (gpus[type]?.length ?? 0) < count).map(([type]) => type);
