import { dirname, resolve } from 'node:path';
import { builtInComputeTypes, type ComputeTypes } from '../compute/registry.ts';
import { builtInTypes, type TaskTypes } from '../tasks/registry.ts';
import {
  parseYaml,
  Reader,
  YamlError,
  type MapNode,
  type Node,
  type FileProblem,
} from '../yaml/index.ts';
import { readIdentity } from './identity.ts';
import { DEFAULT_QUOTAS, HOLD_BUDGET, readQuotas, SHARES } from './quotas.ts';
import { readDestination } from './read/destination.ts';
import { readDefaults } from './read/defaults.ts';
import { readNetwork } from './read/network.ts';
import { readOffers } from './read/offers.ts';
import { readRecords } from './read/records.ts';
import { readRegistry } from './registry.ts';
import { readResults } from './results.ts';
import { readRules } from './read/rules.ts';
import { readStorage } from './read/storage.ts';
import type { Site } from './site.ts';

/** A valid site file, or everything that is wrong with it, with file, line and column. */
export type SiteReading =
  | { readonly ok: true; readonly site: Site }
  | { readonly ok: false; readonly problems: readonly FileProblem[] };

const SECTIONS = [
  'name',
  'rules',
  'rule-urls',
  'offers',
  'defaults',
  'fetch',
  'http',
  'storage',
  'results',
  'identity',
  'quotas',
  'records',
  'runners',
  'sandbox',
  'requests',
  'registry',
  'destinations',
] as const;

/**
 * Reads a site file. Relative paths are relative to its folder.
 *
 * @param file its path, for messages and for relative paths
 * @param types the task types that destinations can take
 * @param computeTypes the types of compute resource that they can be
 */
export function readSite(
  file: string,
  text: string,
  types: TaskTypes = builtInTypes,
  computeTypes: ComputeTypes = builtInComputeTypes,
): SiteReading {
  const reader = new Reader(file);
  try {
    const root = reader.expectMap(parseYaml(text), 'the site file');
    const site = root && readRoot(reader, root, text, types, computeTypes);
    return site !== undefined && reader.problems.length === 0
      ? { ok: true, site }
      : { ok: false, problems: reader.problems };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    const { message, line, column } = error;
    return { ok: false, problems: [{ file, line, column, message }] };
  }
}

function readRoot(
  reader: Reader,
  root: MapNode,
  text: string,
  types: TaskTypes,
  computeTypes: ComputeTypes,
): Site {
  const folder = dirname(resolve(reader.file));
  const found = reader.expectKeys(root, 'the site file', SECTIONS);
  const destinations = section(reader, found.destinations, 'destinations');
  if (destinations === undefined) reader.problem(root, "the site file needs 'destinations'");
  const python = readPython(reader, section(reader, found.runners, 'runners'));
  const offers = readOffers(reader, section(reader, found.offers, 'offers'));
  const quotas = found.quotas === undefined ? DEFAULT_QUOTAS : readQuotas(reader, found.quotas);
  const list = (destinations ? reader.entries(destinations, 'destinations') : []).map(
    ({ name, value }) =>
      readDestination(reader, name, value, {
        terms: offers,
        folder,
        engines: { python },
        taskTypes: types.all.map((type) => type.name),
        computeTypes,
      }),
  );
  return {
    name: (found.name && reader.expectString(found.name, 'name')) ?? 'ExecutionPlanner',
    ...readRules(reader, root, text, folder, {
      rules: found.rules,
      urls: section(reader, found['rule-urls'], 'rule-urls'),
    }),
    offers,
    defaults: readDefaults(reader, section(reader, found.defaults, 'defaults')),
    ...readNetwork(
      reader,
      {
        fetch: section(reader, found.fetch, 'fetch'),
        http: section(reader, found.http, 'http'),
        requests: section(reader, found.requests, 'requests'),
      },
      folder,
    ),
    storage: readStorage(reader, found.storage, {
      folder,
      destinations: new Set(list.flatMap((item) => item?.id ?? [])),
    }),
    results: readResults(reader, section(reader, found.results, 'results')),
    identity: readIdentity(reader, section(reader, found.identity, 'identity'), folder),
    quotas,
    records: readRecords(reader, section(reader, found.records, 'records'), quotas),
    holdBudget: found.quotas === undefined ? HOLD_BUDGET : undefined,
    shares: found.quotas === undefined ? SHARES : undefined,
    sandbox: readSandbox(reader, section(reader, found.sandbox, 'sandbox')),
    registry: readRegistry(reader, section(reader, found.registry, 'registry')),
    destinations: new Map(list.filter((item) => item !== undefined).map((item) => [item.id, item])),
  };
}

function section(reader: Reader, node: Node | undefined, what: string): MapNode | undefined {
  return node === undefined || node.kind === 'null' ? undefined : reader.expectMap(node, what);
}

function readPython(reader: Reader, node: MapNode | undefined): string | undefined {
  const process =
    node &&
    section(reader, reader.expectKeys(node, 'runners', ['process']).process, 'runners.process');
  const python = process && reader.expectKeys(process, 'runners.process', ['python']).python;
  const path = python && reader.expectString(python, 'runners.process.python');
  if (python === undefined || path === undefined) return undefined;
  return path.startsWith('/')
    ? path
    : reader.problem(python, `runners.process.python must be an absolute path, not '${path}'`);
}

function readSandbox(reader: Reader, node: MapNode | undefined): Site['sandbox'] {
  const found = node ? reader.expectKeys(node, 'sandbox', ['jit', 'decision-ms', 'memory-mb']) : {};
  const limit = found['decision-ms'];
  const memory = found['memory-mb'];
  return {
    jit: (found.jit && reader.expectBool(found.jit, 'sandbox.jit')) ?? false,
    decisionMs:
      (limit && reader.expectInt(limit, 'sandbox.decision-ms', { min: 10, max: 10_000 })) ?? 200,
    memoryMb:
      (memory && reader.expectInt(memory, 'sandbox.memory-mb', { min: 16, max: 1024 })) ?? 64,
  };
}
