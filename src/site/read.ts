import { dirname, resolve } from 'node:path';
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
import { readDestinations } from './read/destinations.ts';
import { readDefaults, readEngineDefaults, readWelcome } from './read/defaults.ts';
import { readNetwork } from './read/network.ts';
import { readOffers } from './read/offers.ts';
import { readRecords } from './read/records.ts';
import { readRegistry } from './registry.ts';
import { readResults } from './results.ts';
import { readRules } from './read/rules.ts';
import { readStorage } from './read/storage.ts';
import type { Site } from './site.ts';
import { builtInSiteTypes, type SiteTypes } from './types.ts';

/** A valid site file, or everything that is wrong with it, with file, line and column. */
type SiteReading =
  | { readonly ok: true; readonly site: Site }
  | { readonly ok: false; readonly problems: readonly FileProblem[] };

const SECTIONS = [
  'name',
  'message',
  'time-zone',
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
  'costs',
  'environments',
  'destinations',
] as const;

/**
 * Reads a site file. Relative paths are relative to its folder.
 *
 * @param file its path, for messages and for relative paths
 * @param types what it can name
 */
export function readSite(
  file: string,
  text: string,
  types: SiteTypes = builtInSiteTypes,
): SiteReading {
  const reader = new Reader(file);
  try {
    const root = reader.expectMap(parseYaml(text), 'the site file');
    const site = root && readRoot(reader, root, text, types);
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
  { taskTypes, computeTypes, engineTypes }: SiteTypes,
): Site {
  const folder = dirname(resolve(reader.file));
  const found = reader.expectKeys(root, 'the site file', SECTIONS);
  const destinations = reader.optionalMap(found.destinations, 'destinations');
  if (destinations === undefined) reader.problem(root, "the site file needs 'destinations'");
  const engines = readEngineDefaults(reader, found.runners, found.environments);
  const offers = readOffers(reader, found.offers);
  const quotas = found.quotas === undefined ? DEFAULT_QUOTAS : readQuotas(reader, found.quotas);
  const list = readDestinations(reader, destinations, found.costs, {
    terms: offers,
    folder,
    engines,
    taskTypes: taskTypes.all.map((type) => type.name),
    computeTypes,
    engineTypes,
  });
  return {
    name: reader.expectString(found.name, 'name') ?? 'ExecutionPlanner',
    ...readWelcome(reader, found.message, found['time-zone']),
    ...readRules(reader, root, text, folder, { rules: found.rules, urls: found['rule-urls'] }),
    offers,
    defaults: readDefaults(reader, found.defaults),
    ...readNetwork(
      reader,
      {
        fetch: found.fetch,
        http: found.http,
        requests: reader.optionalMap(found.requests, 'requests'),
      },
      folder,
    ),
    storage: readStorage(reader, found.storage, {
      folder,
      destinations: new Set(list.map(({ id }) => id)),
    }),
    results: readResults(reader, found.results),
    identity: readIdentity(reader, found.identity, folder),
    quotas,
    records: readRecords(reader, found.records, quotas),
    holdBudget: found.quotas === undefined ? HOLD_BUDGET : undefined,
    shares: found.quotas === undefined ? SHARES : undefined,
    sandbox: readSandbox(reader, found.sandbox),
    registry: readRegistry(reader, reader.optionalMap(found.registry, 'registry')),
    destinations: new Map(list.map((item) => [item.id, item])),
  };
}

const ISOLATIONS = ['required', 'preferred', 'none'] as const;

function readSandbox(reader: Reader, node: Node | undefined): Site['sandbox'] {
  const found = reader.section(node, 'sandbox', ['isolation', 'jit', 'decision-ms', 'memory-mb']);
  const limit = found['decision-ms'];
  const memory = found['memory-mb'];
  const isolation = reader.expectOneOf(found.isolation, 'sandbox.isolation', ISOLATIONS);
  const jit = reader.expectBool(found.jit, 'sandbox.jit');
  return {
    isolation: isolation ?? 'preferred',
    jit: jit === undefined ? 'enclosed' : jit ? 'always' : 'never',
    decisionMs: reader.expectInt(limit, 'sandbox.decision-ms', { min: 10, max: 10_000 }) ?? 200,
    memoryMb: reader.expectInt(memory, 'sandbox.memory-mb', { min: 16, max: 1024 }) ?? 64,
  };
}
