import { posix } from 'node:path';
import type { Device } from '../process/settings.ts';
import type { Node, Reader } from '../../yaml/index.ts';

/**
 * A device as a site file names it. `cdi`: its qualified name in the Container Device Interface;
 * undefined: its files are all of it
 */
export type NamedDevice = Device & { readonly cdi: string | undefined };

/** A value in CUDA_VISIBLE_DEVICES, which separates devices by commas. */
const DEVICE_ID = /^[\w./:=-]{1,100}$/;
/** vendor/class=device of the Container Device Interface. */
const CDI_NAME = /^[a-z][\w.-]{0,62}\/[a-z][\w-]{0,62}=[a-z0-9]([\w.:-]{0,100}[a-z0-9])?$/i;

/** Reads absolute paths, such as `example`. */
export function readPaths(
  reader: Reader,
  node: Node | undefined,
  what: string,
  example: string,
): readonly string[] {
  const paths = reader.expectStrings(node, what) ?? [];
  for (const path of paths) {
    if (node !== undefined && !isPlain(path))
      reader.problem(
        node,
        `${what} cannot have '${path}'`,
        `absolute paths without "..", such as ${example}`,
      );
  }
  return paths;
}

/**
 * The devices that a machine's jobs get, by type.
 *
 * @param ways how the engine hands them out
 */
export function readDevices(
  reader: Reader,
  node: Node | undefined,
  what: string,
  ways: 'files' | 'files or cdi',
): Readonly<Record<string, readonly NamedDevice[]>> {
  const entries = reader.entries(node, what).map(({ name, value }) => {
    const list = reader.expectSeq(value, `${what} '${name}'`)?.items ?? [];
    return [
      name,
      list
        .map((item, index) => readDevice(reader, item, `${what} '${name}'[${index}]`, ways))
        .filter((device) => device !== undefined),
    ] as const;
  });
  const ids = entries.flatMap(([, devices]) => devices.map(({ id }) => id));
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (node !== undefined && twice !== undefined)
    reader.problem(node, `${what} names the device '${twice}' twice`);
  return Object.fromEntries(entries);
}

/** The types with fewer named devices than the destination promises, if it names any. */
export function missingDevices(
  gpus: Readonly<Record<string, readonly Device[]>>,
  promised: ReadonlyMap<string, number>,
): readonly string[] {
  return [...promised]
    .filter(([type, count]) => (gpus[type]?.length ?? 0) < count)
    .map(([type]) => type);
}

function isPlain(path: string): boolean {
  return posix.isAbsolute(path) && posix.normalize(path) === path && !path.endsWith('/');
}

function readDevice(
  reader: Reader,
  node: Node,
  what: string,
  ways: 'files' | 'files or cdi',
): NamedDevice | undefined {
  const found: Partial<Record<'id' | 'files' | 'cdi', Node>> | undefined = reader.fields(
    node,
    what,
    ways === 'files' ? ['id', 'files'] : ['id', 'files', 'cdi'],
  );
  if (found === undefined) return undefined;
  if (found.id === undefined)
    return reader.problem(
      node,
      `${what} needs 'id'`,
      'as programs name it: a UUID such as GPU-8f3c0d52-…, or an index in quotes',
    );
  const id = reader.expectString(found.id, `${what}.id`);
  if (id !== undefined && !DEVICE_ID.test(id))
    return reader.problem(
      found.id,
      `${what}.id cannot be '${id}'`,
      'letters, digits and any of . / : = _ -',
    );
  const files = readPaths(reader, found.files, `${what}.files`, '/dev/nvidia0');
  const cdi = readCdi(reader, found.cdi, `${what}.cdi`);
  // Without these a container sees no device.
  if (ways === 'files or cdi' && found.files === undefined && found.cdi === undefined)
    return reader.problem(
      node,
      `${what} needs 'files' or 'cdi'`,
      'what containers get of it: [/dev/nvidia0, /dev/nvidiactl], or nvidia.com/gpu=0',
    );
  return id === undefined ? undefined : { id, files, cdi };
}

function readCdi(reader: Reader, node: Node | undefined, what: string): string | undefined {
  const name = reader.expectString(node, what);
  if (node === undefined || name === undefined || CDI_NAME.test(name)) return name;
  return reader.problem(
    node,
    `${what} cannot be '${name}'`,
    'a qualified name of the Container Device Interface, such as nvidia.com/gpu=0',
  );
}
