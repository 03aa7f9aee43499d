import { dirname, resolve } from 'node:path';
import { RUNNER_NAMES } from '../runners/port.ts';
import { taskTypes } from '../tasks/registry.ts';
import type { Task } from '../tasks/task.ts';
import { fromCores, fromGibibytes, millicores, mebibytes, seconds } from '../words/units.ts';
import { parseYaml, Reader, YamlError, type MapNode, type Node, type Problem } from '../yaml/index.ts';
import { readCores, readDuration, readSize } from './fields.ts';
import type { Site, SiteDestination, SiteToken } from './site.ts';

/** A site file that was understood, or everything that is wrong with it, with file, line and column. */
export type SiteReading = { readonly ok: true; readonly site: Site } | { readonly ok: false; readonly problems: readonly Problem[] };

const SECTIONS = ['name', 'rules', 'offers', 'defaults', 'fetch', 'identity', 'runners', 'sandbox', 'destinations'] as const;
const TASK_TYPES: readonly Task['type'][] = taskTypes.map(({ name }) => name);

const section = (reader: Reader, node: Node | undefined, what: string): MapNode | undefined =>
  node === undefined || node.kind === 'null' ? undefined : reader.expectMap(node, what);

const readOffers = (reader: Reader, node: MapNode | undefined): Site['offers'] => {
  const keys = ['lifetime', 'max-offers', 'duration', 'start-window', 'release', 'queue-limit', 'keep-results'] as const;
  const found = node ? reader.expectKeys(node, 'offers', keys) : {};
  const most = found['max-offers'];
  return {
    lifetime: readDuration(reader, found.lifetime, 'offers.lifetime', seconds(300)),
    most: (most && reader.expectInt(most, 'offers.max-offers', { min: 1, max: 4 })) ?? 4,
    duration: readDuration(reader, found.duration, 'offers.duration', seconds(3600)),
    startWindow: readDuration(reader, found['start-window'], 'offers.start-window', seconds(600)),
    release: readDuration(reader, found.release, 'offers.release', seconds(30)),
    queueLimit: readDuration(reader, found['queue-limit'], 'offers.queue-limit', seconds(3600)),
    keepResults: readDuration(reader, found['keep-results'], 'offers.keep-results', seconds(7 * 86_400)),
  };
};

const readDefaults = (reader: Reader, node: MapNode | undefined): Site['defaults'] => {
  const found = node ? reader.expectKeys(node, 'defaults', ['cores', 'memory', 'scratch']) : {};
  return {
    cores: readCores(reader, found.cores, 'defaults.cores', fromCores(2)),
    memory: readSize(reader, found.memory, 'defaults.memory', fromGibibytes(2)),
    scratch: readSize(reader, found.scratch, 'defaults.scratch', fromGibibytes(20)),
    gpus: undefined,
  };
};

const readFetch = (reader: Reader, node: MapNode | undefined, folder: string): Site['fetch'] => {
  const found = node ? reader.expectKeys(node, 'fetch', ['allow-hosts', 'file-roots']) : {};
  const hosts = found['allow-hosts'] && reader.expectStrings(found['allow-hosts'], 'fetch.allow-hosts');
  const roots = found['file-roots'] && reader.expectStrings(found['file-roots'], 'fetch.file-roots');
  return { allowHosts: hosts ?? [], fileRoots: (roots ?? []).map((root) => resolve(folder, root)) };
};

const readToken = (reader: Reader, node: Node, what: string): SiteToken | undefined => {
  const map = reader.expectMap(node, what);
  if (map === undefined) return undefined;
  const found = reader.expectKeys(map, what, ['sha256', 'user', 'roles']);
  const roles = found.roles ? reader.expectStrings(found.roles, `${what}.roles`) : [];
  const user = found.user && reader.expectString(found.user, `${what}.user`);
  const sha256 = found.sha256 && reader.expectString(found.sha256, `${what}.sha256`);
  if (found.user === undefined) reader.problem(node, `${what} must name its user`);
  if (sha256 === undefined || !/^[0-9a-f]{64}$/.test(sha256)) {
    return reader.problem(found.sha256 ?? node, `${what}.sha256 must be the SHA-256 of the token, 64 hexadecimal digits`,
      "printf %s 'the token' | sha256sum");
  }
  return user === undefined || roles === undefined ? undefined : { sha256, user, roles };
};

const readIdentity = (reader: Reader, node: MapNode | undefined): Pick<Site, 'anonymous' | 'tokens'> => {
  const found = node ? reader.expectKeys(node, 'identity', ['anonymous', 'tokens']) : {};
  const anonymous = found.anonymous ? reader.expectBool(found.anonymous, 'identity.anonymous') : true;
  const list = found.tokens && reader.expectSeq(found.tokens, 'identity.tokens');
  const tokens = (list?.items ?? []).map((item, index) => readToken(reader, item, `identity.tokens[${index}]`));
  return { anonymous: anonymous ?? true, tokens: tokens.filter((token) => token !== undefined) };
};

const readPython = (reader: Reader, node: MapNode | undefined): string | undefined => {
  const process = node && section(reader, reader.expectKeys(node, 'runners', ['process']).process, 'runners.process');
  const python = process && reader.expectKeys(process, 'runners.process', ['python']).python;
  const path = python && reader.expectString(python, 'runners.process.python');
  if (python === undefined || path === undefined) return undefined;
  return path.startsWith('/') ? path : reader.problem(python, `runners.process.python must be an absolute path, not '${path}'`);
};

const readSandbox = (reader: Reader, node: MapNode | undefined): Site['sandbox'] => {
  const found = node ? reader.expectKeys(node, 'sandbox', ['jit', 'decision-ms', 'memory-mb']) : {};
  const limit = found['decision-ms'];
  const memory = found['memory-mb'];
  return {
    jit: (found.jit && reader.expectBool(found.jit, 'sandbox.jit')) ?? false,
    decisionMs: (limit && reader.expectInt(limit, 'sandbox.decision-ms', { min: 10, max: 10_000 })) ?? 200,
    memoryMb: (memory && reader.expectInt(memory, 'sandbox.memory-mb', { min: 16, max: 1024 })) ?? 64,
  };
};

const readGpus = (reader: Reader, node: MapNode | undefined, what: string): ReadonlyMap<string, number> => {
  const counts = (node ? reader.entries(node, what) : []).map(
    ({ name, value }) => [name, reader.expectInt(value, `${what} '${name}'`, { min: 1, max: 1_000_000 }) ?? 0] as const,
  );
  return new Map(counts);
};

const readTaskTypes = (reader: Reader, node: Node, what: string): ReadonlySet<Task['type']> => {
  const list = reader.expectSeq(node, what);
  const types = (list?.items ?? []).map((item, index) => reader.expectOneOf(item, `${what}[${index}]`, TASK_TYPES));
  return new Set(types.filter((type) => type !== undefined));
};

const DESTINATION_KEYS = ['runner', 'task-types', 'cores', 'memory', 'scratch', 'gpus'] as const;

const readDestination = (reader: Reader, id: string, node: Node): SiteDestination | undefined => {
  const what = `destinations.${id}`;
  const map = reader.expectMap(node, what);
  if (map === undefined) return undefined;
  const found = reader.expectKeys(map, what, DESTINATION_KEYS);
  for (const key of ['runner', 'task-types', 'cores', 'memory'] as const) {
    if (found[key] === undefined) reader.problem(node, `${what} needs '${key}'`);
  }
  const runner = found.runner && reader.expectOneOf(found.runner, `${what}.runner`, RUNNER_NAMES);
  const types = found['task-types'] ? readTaskTypes(reader, found['task-types'], `${what}.task-types`) : new Set<Task['type']>();
  if (runner === 'notebook' && types.has('executable')) {
    reader.problem(node, `${what}: the notebook runner executes jupyter-notebook and python-program, not executable`);
  }
  if (runner === 'process' && types.has('jupyter-notebook')) {
    reader.problem(node, `${what}: the process runner does not execute jupyter-notebook`, 'use runner: notebook');
  }
  const capacity = {
    cores: readCores(reader, found.cores, `${what}.cores`, millicores(0)),
    memory: readSize(reader, found.memory, `${what}.memory`, mebibytes(0)),
    scratch: readSize(reader, found.scratch, `${what}.scratch`, mebibytes(0)),
    gpus: readGpus(reader, section(reader, found.gpus, `${what}.gpus`), `${what}.gpus`),
  };
  return runner && { id, runner, taskTypes: types, capacity };
};

const readRules = (reader: Reader, root: MapNode, node: Node | undefined, folder: string): readonly string[] => {
  if (node === undefined) return reader.problem(root, "the site file needs 'rules', the list of TPV rule files") ?? [];
  const paths = reader.expectStrings(node, 'rules') ?? [];
  if (node.kind === 'seq' && node.items.length === 0) reader.problem(node, 'rules must name at least one TPV rule file');
  return paths.map((path) => resolve(folder, path));
};

const readRoot = (reader: Reader, root: MapNode): Site => {
  const folder = dirname(resolve(reader.file));
  const found = reader.expectKeys(root, 'the site file', SECTIONS);
  const destinations = section(reader, found.destinations, 'destinations');
  if (destinations === undefined) reader.problem(root, "the site file needs 'destinations'");
  const python = readPython(reader, section(reader, found.runners, 'runners'));
  const list = (destinations ? reader.entries(destinations, 'destinations') : []).map(({ name, key, value }) => {
    const destination = readDestination(reader, name, value);
    if (destination?.runner === 'process' && destination.taskTypes.has('python-program') && python === undefined) {
      reader.problem(key, `destinations.${name} takes python-program, which needs runners.process.python`,
        'the path of a Python interpreter, or runner: notebook, which brings its own');
    }
    return destination;
  });
  return {
    name: (found.name && reader.expectString(found.name, 'name')) ?? 'ExecutionPlanner',
    rules: readRules(reader, root, found.rules, folder),
    offers: readOffers(reader, section(reader, found.offers, 'offers')),
    defaults: readDefaults(reader, section(reader, found.defaults, 'defaults')),
    fetch: readFetch(reader, section(reader, found.fetch, 'fetch'), folder),
    ...readIdentity(reader, section(reader, found.identity, 'identity')),
    python,
    sandbox: readSandbox(reader, section(reader, found.sandbox, 'sandbox')),
    destinations: new Map(list.filter((item) => item !== undefined).map((item) => [item.id, item])),
  };
};

/**
 * Reads a site file. Relative paths in it are relative to its folder.
 *
 * @param file its path, for messages and for those paths
 */
export const readSite = (file: string, text: string): SiteReading => {
  const reader = new Reader(file);
  try {
    const root = reader.expectMap(parseYaml(text), 'the site file');
    const site = root && readRoot(reader, root);
    return site !== undefined && reader.problems.length === 0 ? { ok: true, site } : { ok: false, problems: reader.problems };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    const { message, line, column } = error;
    return { ok: false, problems: [{ file, line, column, message }] };
  }
};
