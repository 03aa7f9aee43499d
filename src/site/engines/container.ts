import { resolve } from 'node:path';
import type { ContainerSettings, EngineAddress } from '../../runners/engine.ts';
import { parseReference, type RegistryImage } from '../../tasks/image.ts';
import { seconds } from '../../words/units.ts';
import type { MapNode, Node, Reader } from '../../yaml/index.ts';
import { readDuration } from '../read/fields.ts';
import { readDevices } from './devices.ts';

const KEYS = [
  'socket',
  'tcp',
  'runtime',
  'user',
  'network',
  'auth-file',
  'pull',
  'pull-limit',
  'unreachable-limit',
  'processes',
  'gpus',
  'images',
] as const;
const NAME = /^[a-zA-Z0-9][\w.-]{0,62}$/;

/** An image of the site's. */
export function readSiteImage(
  reader: Reader,
  node: Node | undefined,
  what: string,
): RegistryImage | undefined {
  const text = node && reader.expectString(node, what);
  if (node === undefined || text === undefined) return undefined;
  return (
    parseReference(text) ??
    reader.problem(
      node,
      `${what} cannot be '${text}'`,
      'a registry and a path, such as docker.io/library/python:3.13-slim',
    )
  );
}

/**
 * The settings of a container engine (key `container` of a destination).
 *
 * @param node undefined: the destination has no such key
 * @param destination for what is said of a missing key
 */
export function readContainer(
  reader: Reader,
  node: Node | undefined,
  destination: Node,
  what: string,
  folder: string,
): ContainerSettings | undefined {
  if (node === undefined)
    return reader.problem(
      destination,
      `the container runner needs '${what}'`,
      'where the engine listens, for example container: { socket: /run/podman/podman.sock }',
    );
  const map = reader.expectMap(node, what);
  if (map === undefined) return undefined;
  const found = reader.expectKeys(map, what, KEYS);
  const address = readAddress(reader, map, found, what, folder);
  // The loans are kept by the executors of one machine, and files of devices are of that machine.
  if (found.gpus !== undefined && found.tcp !== undefined)
    reader.problem(
      found.gpus,
      `${what}.gpus is for engines of this machine`,
      'name the engine by its socket',
    );
  const images = found.images && reader.expectMap(found.images, `${what}.images`);
  const named = images
    ? reader.expectKeys(images, `${what}.images`, ['executable', 'python-program'])
    : {};
  const settings = {
    runtime: readName(reader, found.runtime, `${what}.runtime`),
    user:
      (found.user && reader.expectOneOf(found.user, `${what}.user`, ['job', 'image'] as const)) ??
      'job',
    outbound: readName(reader, found.network, `${what}.network`),
    auth: readPath(reader, found['auth-file'], `${what}.auth-file`, folder),
    pull:
      (found.pull &&
        reader.expectOneOf(found.pull, `${what}.pull`, ['always', 'missing'] as const)) ??
      'always',
    pullLimit: readDuration(reader, found['pull-limit'], `${what}.pull-limit`, seconds(600)),
    unreachableLimit: readDuration(
      reader,
      found['unreachable-limit'],
      `${what}.unreachable-limit`,
      seconds(600),
    ),
    tasks:
      (found.processes &&
        reader.expectInt(found.processes, `${what}.processes`, { min: 1, max: 100_000 })) ??
      512,
    gpus: readDevices(reader, found.gpus, `${what}.gpus`, 'files or cdi'),
    images: {
      executable: readSiteImage(reader, named.executable, `${what}.images.executable`),
      'python-program': readSiteImage(
        reader,
        named['python-program'],
        `${what}.images.python-program`,
      ),
    },
  } as const;
  return address && { address, ...settings };
}

/** Task types that a destination takes and that need an image of the site. */
export function missingImages(
  { images }: Pick<ContainerSettings, 'images'>,
  types: ReadonlySet<string>,
): readonly string[] {
  return (['executable', 'python-program'] as const).filter(
    (type) => types.has(type) && images[type] === undefined,
  );
}

function readAddress(
  reader: Reader,
  map: MapNode,
  found: Partial<Record<'socket' | 'tcp', Node>>,
  what: string,
  folder: string,
): EngineAddress | undefined {
  if ((found.socket === undefined) === (found.tcp === undefined)) {
    return reader.problem(
      map,
      `${what} needs one of 'socket' and 'tcp'`,
      'where the engine listens, for example socket: /run/podman/podman.sock',
    );
  }
  if (found.tcp !== undefined) return readTcp(reader, found.tcp, `${what}.tcp`, folder);
  const path = readPath(reader, found.socket, `${what}.socket`, folder);
  return path === undefined ? undefined : { kind: 'unix', path };
}

function readTcp(
  reader: Reader,
  node: Node,
  what: string,
  folder: string,
): EngineAddress | undefined {
  const map = reader.expectMap(node, what);
  if (map === undefined) return undefined;
  const found = reader.expectKeys(map, what, ['host', 'port', 'ca', 'cert', 'key']);
  for (const key of ['host', 'ca', 'cert', 'key'] as const)
    if (found[key] === undefined)
      reader.problem(
        node,
        `${what} needs '${key}'`,
        'whoever reaches this port has all rights on its machine, so it needs TLS with certificates on both sides',
      );
  const host = found.host && reader.expectString(found.host, `${what}.host`);
  const port = found.port
    ? reader.expectInt(found.port, `${what}.port`, { min: 1, max: 65_535 })
    : 2376;
  const [ca, cert, key] = [found.ca, found.cert, found.key].map((file, index) =>
    readPath(reader, file, `${what}.${['ca', 'cert', 'key'][index]}`, folder),
  );
  return host === undefined ||
    port === undefined ||
    ca === undefined ||
    cert === undefined ||
    key === undefined
    ? undefined
    : { kind: 'tcp', host, port, tls: { ca, cert, key } };
}

function readPath(
  reader: Reader,
  node: Node | undefined,
  what: string,
  folder: string,
): string | undefined {
  const path = node && reader.expectString(node, what, 'the path of a file');
  return path === undefined ? undefined : resolve(folder, path);
}

function readName(reader: Reader, node: Node | undefined, what: string): string | undefined {
  const name = node && reader.expectString(node, what);
  if (node === undefined || name === undefined || NAME.test(name)) return name;
  return reader.problem(
    node,
    `${what} cannot be '${name}'`,
    'a name that the engine knows: letters, digits, dots and dashes',
  );
}
