import { PyDict } from '../../python/index.ts';
import type { FileProblem } from '../../yaml/index.ts';
import { NO_EXTRA, readConfigFile } from './config-file.ts';
import type { ConfigFile } from './config-file.ts';
import { Roots, settleEntity } from '../entity/derived.ts';
import { withDefaults } from '../entity/destination-defaults.ts';
import { DestinationIndex } from '../decide/destination-index.ts';
import type { Entity } from '../entity/entity.ts';
import { FileReader, UNUSABLE_PATTERN } from './file-reader.ts';
import type { Broken } from './file-reader.ts';
import type { JobEntities } from '../decide/lookup.ts';
import { inheritAll, InvalidParent, mergeSection } from './merge.ts';
import { missingModules } from './missing-modules.ts';
import type { Entities, SectionName } from './merge.ts';
import { poolsOf } from '../decide/pool.ts';
import type { Pool } from '../decide/pool.ts';
import type { StoreConfig } from './schema-pools.ts';
import { Section } from './section.ts';
import { Snippets } from './snippets.ts';
import type { SnippetPlace } from './snippets.ts';
import { mergeDicts } from '../values.ts';

/** One rule file; `name` is its path or URL, for messages. */
export type RuleSource = { readonly name: string; readonly text: string };

/** A configuration, compiled: what decisions are made from. Not changed by them. */
export type Rules = {
  /** SHA-256 of the sources, computed by the caller. */
  readonly digest: string;
  readonly context: PyDict;
  readonly defaultInherits: string | null;
  readonly tools: Section;
  readonly roles: Section;
  readonly users: Section;
  /** In the order of the files, each with the default destination laid under it. */
  readonly destinations: readonly Entity[];
  /** The same, found by what a job asks for. */
  readonly index: DestinationIndex;
  /** What jobs came to that were looked at before. */
  readonly found: Roots<JobEntities>;
  /** As they stand in the merged files, for rules that look at `mapper.destinations`. */
  readonly plainDestinations: Entities;
  /** The same of pools. */
  readonly plainPools: Entities;
  /** Those that jobs can be in, by name. */
  readonly pools: readonly Pool[];
  /** Where a file says that what pools hold is kept. */
  readonly store: StoreConfig | null;
  readonly snippets: Snippets;
};

export type LoadResult =
  | { readonly ok: true; readonly rules: Rules; readonly warnings: readonly FileProblem[] }
  | { readonly ok: false; readonly problems: readonly FileProblem[] };

const NOTHING: ConfigFile = {
  tools: new Map(),
  roles: new Map(),
  users: new Map(),
  destinations: new Map(),
  pools: new Map(),
  context: null,
  defaultInherits: null,
  store: null,
  unknown: new Map(),
  extra: NO_EXTRA,
};

/** Rule files merged into one, before anything is looked up in them. */
export type Merged = {
  readonly config: ConfigFile;
  readonly snippets: Snippets;
  readonly warnings: readonly FileProblem[];
  /** What is no Python in rules of any file, merged away or not; the warnings tell of it too. */
  readonly broken: readonly Broken[];
  /** Keys that are no regular expressions: TPV loads them too, and fails when it uses them. */
  readonly unusable: readonly FileProblem[];
};

/**
 * Read and merge rule files, each over the ones before it. The problems of all files
 * are reported together. `keepsSpelling` is for files that are to be written again;
 * nothing can be decided from those.
 */
export function mergeFiles(
  sources: readonly RuleSource[],
  { keepsSpelling = false }: { readonly keepsSpelling?: boolean } = {},
):
  | ({ readonly ok: true } & Merged)
  | { readonly ok: false; readonly problems: readonly FileProblem[] } {
  const snippets = new Snippets();
  const counter = { rules: 0 };
  const read = sources.map((source) => {
    const reader = new FileReader(source, snippets, counter, keepsSpelling);
    return { file: readConfigFile(source.text, reader) ?? NOTHING, reader };
  });
  const sound = read.findIndex(({ reader }) => reader.problems.some(isRefusal));
  const broken = sound < 0 ? null : read[sound];
  try {
    // Each file is merged before the next one is read, in TPV: what is wrong with the
    // merge of sound files comes first.
    const files = sound < 0 ? read : read.slice(0, sound);
    const config = files.reduce((before, { file }) => mergeFile(before, file), NOTHING);
    if (broken !== null && broken !== undefined) {
      const rest = read.flatMap(({ reader }) => (reader === broken.reader ? [] : reader.problems));
      return { ok: false, problems: [...refusalFirst(broken.reader), ...rest] };
    }
    const problems = read.flatMap(({ reader }) => reader.problems);
    const warnings = [
      ...read.flatMap(({ reader }) => reader.warnings),
      ...missingModules(snippets),
    ];
    return {
      ok: true,
      config,
      snippets,
      warnings,
      broken: read.flatMap(({ reader }) => reader.broken),
      unusable: problems,
    };
  } catch (error) {
    if (!(error instanceof InvalidParent)) throw error;
    const problem: FileProblem = {
      ...placeOf(error.entity),
      message: error.message,
      code: error.name,
    };
    return { ok: false, problems: [problem, ...read.flatMap(({ reader }) => reader.problems)] };
  }
}

/**
 * Load rule files and compile their Python. `digest` is the SHA-256 of the sources. A key
 * that is no regular expression is refused; `strict` loads it, and it is an error of each
 * decision that comes to it, as in TPV.
 */
export function loadRules(
  sources: readonly RuleSource[],
  digest = '',
  { strict = false }: { readonly strict?: boolean } = {},
): LoadResult {
  const merged = mergeFiles(sources);
  if (!merged.ok) return merged;
  if (merged.unusable.length > 0 && !strict) return { ok: false, problems: merged.unusable };
  const [pool] = merged.config.pools.values();
  if (pool !== undefined && merged.config.store === null)
    return { ok: false, problems: [withoutStore(pool)] };
  const rules = rulesOf(merged.config, merged.snippets, digest);
  return { ok: true, rules, warnings: [...merged.warnings, ...withoutRunner(rules.destinations)] };
}

/** Keys that are no regular expressions do not keep TPV from loading a file. */
function isRefusal({ code }: FileProblem): boolean {
  return code !== UNUSABLE_PATTERN;
}

/** The merged files with one more. Throws InvalidParent. */
function mergeFile(before: ConfigFile, file: ConfigFile): ConfigFile {
  const over = (name: SectionName): Entities => inheritAll(mergeSection(before[name], file[name]));
  return {
    tools: over('tools'),
    users: over('users'),
    roles: over('roles'),
    destinations: over('destinations'),
    pools: over('pools'),
    store: file.store ?? before.store,
    context: mergeDicts(before.context, file.context),
    defaultInherits:
      before === NOTHING ? file.defaultInherits : file.defaultInherits || before.defaultInherits,
    unknown: file.unknown,
    extra: file.extra,
  };
}

/**
 * The problems of a file with the one first that TPV refuses it for: it reads the YAML, then
 * the shape of every entity, and compiles Python last; within each, in the order in which
 * entities and their fields are read.
 */
function refusalFirst(reader: FileReader): readonly FileProblem[] {
  const { problems } = reader;
  const stages: readonly ((problem: FileProblem) => boolean)[] = [
    (problem) => !reader.isCompiling(problem) && problem.code !== 'ValidationError',
    (problem) => !reader.isCompiling(problem),
    (problem) => reader.isCompiling(problem),
  ];
  const first = stages
    .map((isOf) => problems.find((problem) => isRefusal(problem) && isOf(problem)))
    .find((problem) => problem !== undefined);
  return first === undefined
    ? problems
    : [first, ...problems.filter((problem) => problem !== first)];
}

function placeOf(entity: Entity): SnippetPlace {
  return entity.place ?? { file: '', line: 1, column: 1 };
}

/** Pools that nobody counts would bound nothing: TPV makes no mapper of such files. */
function withoutStore(pool: Entity): FileProblem {
  const message =
    "Resource pools are configured under 'pools:' but 'global.resource_pool_store' is not set. Add the store wiring " +
    '(e.g. a ValkeyAllocationStore) so enforcement is active, or remove the pools.';
  return { ...placeOf(pool), message, code: 'ValueError' };
}

function rulesOf(merged: ConfigFile, snippets: Snippets, digest: string): Rules {
  const fallback = (name: SectionName): Entity | null =>
    merged[name].get(merged.defaultInherits ?? '') ?? null;
  const section = (name: SectionName): Section => new Section(merged[name], fallback(name));
  const destinations = [...merged.destinations.values()].map((own) =>
    withDefaults(own, fallback('destinations')),
  );
  const everywhere = [
    merged.tools,
    merged.roles,
    merged.users,
    merged.destinations,
    merged.pools,
  ].flatMap((map) => [...map.values()]);
  for (const entity of [...everywhere, ...destinations]) settleEntity(entity);
  return {
    digest,
    context: merged.context ?? new PyDict(),
    defaultInherits: merged.defaultInherits,
    tools: section('tools'),
    roles: section('roles'),
    users: section('users'),
    destinations,
    index: new DestinationIndex(destinations),
    found: new Roots(),
    plainDestinations: merged.destinations,
    plainPools: merged.pools,
    pools: poolsOf(merged.pools.values()),
    store: merged.store,
    snippets,
  };
}

/** A destination that jobs can be sent to needs a runner, which it may have from its parents. */
function withoutRunner(destinations: readonly Entity[]): readonly FileProblem[] {
  return destinations
    .filter(({ abstract, destination }) => !abstract && (destination?.runner ?? '') === '')
    .map((entity) => ({ ...placeOf(entity), message: `destination '${entity.id}' has no runner` }));
}
