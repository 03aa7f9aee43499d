import { isAbsolute } from 'node:path';
import type { NodeContainers, SlurmAccess, SlurmSettings } from './settings.ts';
import { seconds } from '../../words/units.ts';
import type { Node, Reader } from '../../yaml/index.ts';
import { readDuration } from '../../yaml/fields.ts';
import { readForecast } from './read-forecast.ts';
import {
  mapOfEngine,
  readFilePath,
  readMatching,
  readWord,
  type EngineNode,
} from '../reading/values.ts';

const KEYS = [
  'transport',
  'conf',
  'bin',
  'url',
  'token-file',
  'partition',
  'account',
  'qos',
  'constraint',
  'user',
  'python',
  'gres',
  'arguments',
  'longest-wait',
  'unreachable-limit',
  'forecast',
  'guarantee',
  'accounting',
  'container',
  'jupyter',
] as const;
type Found = { readonly [key in (typeof KEYS)[number]]?: Node };

const NAMES = ['partition', 'account', 'qos', 'constraint', 'user'] as const;

/** Options of sbatch that do not affect the promised amounts or the place of files. */
const ARGUMENTS = [
  'clusters',
  'contiguous',
  'core-spec',
  'cpu-freq',
  'exclude',
  'exclusive',
  'gres-flags',
  'hint',
  'licenses',
  'mincpus',
  'nice',
  'nodelist',
  'ntasks-per-core',
  'prefer',
  'priority',
  'reservation',
  'spread-job',
  'switches',
  'threads-per-core',
  'tmp',
  'wckey',
];
/** Names of partitions, accounts and the like, and constraints, which join several. */
const NAME = /^(?!-)[\w.@-]{1,100}$/;
/** Networks of Podman. */
const NETWORK = /^(?!none$)[a-zA-Z0-9][\w.-]{0,62}$/;
const CONSTRAINT = /^(?!-)[\w.&|*()[\]-]{1,200}$/;
const GRES = /^(?!-)[\w.:-]{1,100}$/;

/** The settings of a Slurm cluster (key `slurm` of a destination). */
export function readSlurm(at: EngineNode): SlurmSettings | undefined {
  const { reader, what } = at;
  const map = mapOfEngine(
    at,
    'at least the partition, for example slurm: { partition: main, user: vo }',
  );
  if (map === undefined) return undefined;
  const found = reader.expectKeys(map, what, KEYS);
  reader.requireKeys(map, what, found, ['partition']);
  const access = readAccess(at, found, map);
  const name = (key: (typeof NAMES)[number], form = NAME): string | undefined =>
    readName(reader, found[key], `${what}.${key}`, form);
  const limit = (key: 'longest-wait' | 'unreachable-limit') =>
    readDuration(reader, found[key], `${what}.${key}`, seconds(3600));
  const settings = {
    partition: name('partition') ?? '',
    account: name('account'),
    qos: name('qos'),
    constraint: name('constraint', CONSTRAINT),
    user: name('user'),
    python: readNodePath(reader, found.python, `${what}.python`),
    gres: readGres(reader, found.gres, `${what}.gres`),
    arguments: readArguments(reader, found.arguments, `${what}.arguments`),
    jupyter: readNodePath(reader, found.jupyter, `${what}.jupyter`),
    container: readContainers(reader, found.container, `${what}.container`),
    accounting: readWord(reader, found.accounting, `${what}.accounting`, [
      'none',
      'slurmdbd',
      'completions',
    ]),
    guarantee: readGuarantee(reader, found, what),
    forecast: readForecast(reader, found.forecast, `${what}.forecast`),
    longestWait: limit('longest-wait'),
    unreachableLimit: limit('unreachable-limit'),
  };
  return access && { access, ...settings };
}

function readAccess(at: EngineNode, found: Found, map: Node): SlurmAccess | undefined {
  const { reader, what } = at;
  const transport =
    found.transport === undefined
      ? 'cli'
      : reader.expectOneOf(found.transport, `${what}.transport`, ['cli', 'rest'] as const);
  if (transport === 'rest') return readRest(at, found, map);
  for (const key of ['url', 'token-file'] as const) {
    const node = found[key];
    if (node !== undefined) reader.problem(node, `${what}.${key} is for transport: rest`);
  }
  return (
    transport && {
      transport,
      conf: readFilePath(at, found.conf, `${what}.conf`, 'a path'),
      bin: readFilePath(at, found.bin, `${what}.bin`, 'a path'),
    }
  );
}

function readRest(at: EngineNode, found: Found, map: Node): SlurmAccess | undefined {
  const { reader, what } = at;
  for (const key of ['url', 'token-file'] as const)
    if (found[key] === undefined) reader.problem(map, `${what} needs '${key}' for transport: rest`);
  for (const key of ['conf', 'bin', 'arguments', 'forecast', 'guarantee', 'accounting'] as const) {
    const node = found[key];
    if (node !== undefined) reader.problem(node, `${what}.${key} is for transport: cli`);
  }
  const url = reader.expectString(found.url, `${what}.url`);
  if (found.url !== undefined && url !== undefined && !isUrl(url))
    reader.problem(
      found.url,
      `${what}.url cannot be '${url}'`,
      'unix:/run/slurmrestd.sock, or https:// with a host and a port',
    );
  const tokenFile = readFilePath(at, found['token-file'], `${what}.token-file`, 'a path');
  return url === undefined || tokenFile === undefined
    ? undefined
    : { transport: 'rest', url, tokenFile };
}

function isUrl(text: string): boolean {
  if (text.startsWith('unix:/')) return true;
  const url = URL.parse(text);
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.pathname === '/' &&
    url.search === '' &&
    url.username === ''
  );
}

function readName(
  reader: Reader,
  node: Node | undefined,
  what: string,
  form: RegExp,
): string | undefined {
  return readMatching(
    reader,
    node,
    what,
    form,
    'a name as Slurm has it, of letters, digits, dots, dashes and underscores',
  );
}

/** A path on the nodes; it cannot be relative to the site file. */
function readNodePath(reader: Reader, node: Node | undefined, what: string): string | undefined {
  const path = reader.expectString(node, what, 'a path');
  if (node === undefined || path === undefined || isAbsolute(path)) return path;
  return reader.problem(node, `${what} must be an absolute path on the nodes, not '${path}'`);
}

function readGres(
  reader: Reader,
  node: Node | undefined,
  what: string,
): Readonly<Record<string, string>> {
  const entries = reader
    .entries(node, what)
    .map(({ name, value }) => [name, readName(reader, value, `${what} '${name}'`, GRES)] as const);
  return Object.fromEntries(
    entries.flatMap(([name, gres]) => (gres === undefined ? [] : [[name, gres]])),
  );
}

function readArguments(reader: Reader, node: Node | undefined, what: string): readonly string[] {
  const words = reader.expectStrings(node, what) ?? [];
  for (const word of words) {
    const name = /^--([a-z-]+)(=[^\n\0]*)?$/.exec(word)?.[1];
    if (node === undefined || (name !== undefined && ARGUMENTS.includes(name))) continue;
    reader.problem(
      node,
      `${what} cannot have '${word}'`,
      `one of ${ARGUMENTS.map((one) => `--${one}`).join(', ')}, each with its value after "="`,
    );
  }
  return words;
}

function readContainers(
  reader: Reader,
  node: Node | undefined,
  what: string,
): NodeContainers | undefined {
  const found = reader.fields(node, what, [
    'program',
    'store',
    'conf',
    'registries',
    'auth',
    'network',
  ]);
  if (found === undefined) return undefined;
  const path = (key: keyof typeof found): string | undefined =>
    readNodePath(reader, found[key], `${what}.${key}`);
  const network = reader.expectString(found.network, `${what}.network`);
  if (found.network !== undefined && network !== undefined && !NETWORK.test(network))
    reader.problem(
      found.network,
      `${what}.network cannot be '${network}'`,
      'a network that Podman on the nodes knows: slirp4netns, pasta, host, or the name of one',
    );
  return {
    program: path('program') ?? '/usr/bin/podman',
    store: path('store') ?? '/var/tmp',
    conf: path('conf'),
    registries: path('registries'),
    auth: path('auth'),
    network,
  };
}

function readGuarantee(
  reader: Reader,
  { guarantee, arguments: words }: Found,
  what: string,
): SlurmSettings['guarantee'] {
  if (guarantee === undefined) return 'queue';
  const chosen =
    reader.expectOneOf(guarantee, `${what}.guarantee`, ['queue', 'reservation'] as const) ??
    'queue';
  const reserved =
    words !== undefined &&
    readArguments(reader, words, `${what}.arguments`).some((word) =>
      word.startsWith('--reservation'),
    );
  if (chosen === 'reservation' && reserved)
    reader.problem(
      guarantee,
      `${what}.guarantee makes a reservation for each job, and ${what}.arguments names one for all`,
    );
  return chosen;
}
