import type { ContainerSettings, EngineAddress } from './settings.ts';
import { seconds } from '../../words/units.ts';
import type { MapNode, Node } from '../../yaml/index.ts';
import { readDuration } from '../../yaml/fields.ts';
import { readDevices } from '../reading/devices.ts';
import {
  mapOfEngine,
  readFilePath,
  readImages,
  readMatching,
  readTaskCount,
  readWord,
  type EngineNode,
} from '../reading/values.ts';

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

/** The settings of a container engine (key `container` of a destination). */
export function readContainer(at: EngineNode): ContainerSettings | undefined {
  const { reader, what } = at;
  const map = mapOfEngine(
    at,
    'where the engine listens, for example container: { socket: /run/podman/podman.sock }',
  );
  if (map === undefined) return undefined;
  const found = reader.expectKeys(map, what, KEYS);
  const address = readAddress(at, map, found);
  // The executors of one machine share its loans, and device files belong to that machine.
  if (found.gpus !== undefined && found.tcp !== undefined)
    reader.problem(
      found.gpus,
      `${what}.gpus works only with an engine on this machine`,
      'name the engine by its socket',
    );
  const name = (key: 'runtime' | 'network'): string | undefined =>
    readMatching(
      reader,
      found[key],
      `${what}.${key}`,
      NAME,
      'a name that the engine knows: letters, digits, dots and dashes',
    );
  const limit = (key: 'pull-limit' | 'unreachable-limit') =>
    readDuration(reader, found[key], `${what}.${key}`, seconds(600));
  const settings = {
    runtime: name('runtime'),
    user: readWord(reader, found.user, `${what}.user`, ['job', 'image']),
    outbound: name('network'),
    auth: readFilePath(at, found['auth-file'], `${what}.auth-file`),
    pull: readWord(reader, found.pull, `${what}.pull`, ['always', 'missing']),
    pullLimit: limit('pull-limit'),
    unreachableLimit: limit('unreachable-limit'),
    tasks: readTaskCount(reader, found.processes, `${what}.processes`, 512),
    gpus: readDevices(reader, found.gpus, `${what}.gpus`, 'files or cdi'),
    images: readImages(reader, found.images, `${what}.images`),
  };
  return address && { address, ...settings };
}

function readAddress(
  at: EngineNode,
  map: MapNode,
  found: Partial<Record<'socket' | 'tcp', Node>>,
): EngineAddress | undefined {
  const { reader, what } = at;
  if ((found.socket === undefined) === (found.tcp === undefined)) {
    return reader.problem(
      map,
      `${what} needs one of 'socket' and 'tcp'`,
      'where the engine listens, for example socket: /run/podman/podman.sock',
    );
  }
  if (found.tcp !== undefined) return readTcp(at, found.tcp, `${what}.tcp`);
  const path = readFilePath(at, found.socket, `${what}.socket`);
  return path === undefined ? undefined : { kind: 'unix', path };
}

function readTcp(at: EngineNode, node: Node, what: string): EngineAddress | undefined {
  const { reader } = at;
  const found = reader.fields(node, what, ['host', 'port', 'ca', 'cert', 'key']);
  if (found === undefined) return undefined;
  for (const key of ['host', 'ca', 'cert', 'key'] as const)
    if (found[key] === undefined)
      reader.problem(
        node,
        `${what} needs '${key}'`,
        'a client of this port has all rights on its machine, so it needs TLS with certificates on both sides',
      );
  const host = reader.expectString(found.host, `${what}.host`);
  const port = found.port
    ? reader.expectInt(found.port, `${what}.port`, { min: 1, max: 65_535 })
    : 2376;
  const [ca, cert, key] = [found.ca, found.cert, found.key].map((file, index) =>
    readFilePath(at, file, `${what}.${['ca', 'cert', 'key'][index]}`),
  );
  return host === undefined ||
    port === undefined ||
    ca === undefined ||
    cert === undefined ||
    key === undefined
    ? undefined
    : { kind: 'tcp', host, port, tls: { ca, cert, key } };
}
