import { PyDict } from '../python/index.ts';
import type { Problem } from '../yaml/index.ts';
import { readConfigFile } from './config-file.ts';
import type { ConfigFile } from './config-file.ts';
import { withDefaults } from './destination-defaults.ts';
import type { Entity } from './entity.ts';
import { FileReader, UNUSABLE_PATTERN } from './file-reader.ts';
import { inheritAll, InvalidParent, mergeSection } from './merge.ts';
import type { Entities, SectionName } from './merge.ts';
import { Section } from './section.ts';
import { Snippets } from './snippets.ts';
import type { Place } from './snippets.ts';
import { mergeDicts } from './values.ts';

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
  /** As they stand in the merged files, for rules that look at `mapper.destinations`. */
  readonly plainDestinations: Entities;
  readonly snippets: Snippets;
};

export type LoadResult =
  | { readonly ok: true; readonly rules: Rules; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

const NOTHING: ConfigFile = {
  tools: new Map(),
  roles: new Map(),
  users: new Map(),
  destinations: new Map(),
  context: null,
  defaultInherits: null,
  unknown: new Map(),
};

/**
 * Rules without id are numbered from here. TPV counts over the life of its process, so that in a running Galaxy the
 * numbers have four digits; with as many here, long lines of a trace in YAML are folded where TPV folds them.
 */
const FIRST_RULE = 1000;

/** Rule files merged into one (1.2), before anything is looked up in them. */
export type Merged = {
  readonly config: ConfigFile;
  readonly snippets: Snippets;
  readonly warnings: readonly Problem[];
  /** Keys that are no regular expressions: TPV loads them too, and fails when it uses them. */
  readonly unusable: readonly Problem[];
};

/** Read and merge rule files, each over the ones before it. The problems of all files are reported together. */
export function mergeFiles(
  sources: readonly RuleSource[],
): ({ readonly ok: true } & Merged) | { readonly ok: false; readonly problems: readonly Problem[] } {
  const snippets = new Snippets();
  const counter = { rules: FIRST_RULE };
  const read = sources.map(({ name, text }) => {
    const reader = new FileReader(name, snippets, counter);
    return { file: readConfigFile(text, reader) ?? NOTHING, reader };
  });
  const problems = read.flatMap(({ reader }) => reader.problems);
  if (problems.some(({ code }) => code !== UNUSABLE_PATTERN)) return { ok: false, problems };
  try {
    const config = read.reduce((before, { file }) => mergeFile(before, file), NOTHING);
    return { ok: true, config, snippets, warnings: read.flatMap(({ reader }) => reader.warnings), unusable: problems };
  } catch (error) {
    if (!(error instanceof InvalidParent)) throw error;
    return { ok: false, problems: [{ ...placeOf(error.entity), message: error.message, code: error.name }] };
  }
}

/** Load rule files and compile their Python. `digest` is the SHA-256 of the sources. */
export function loadRules(sources: readonly RuleSource[], digest = ''): LoadResult {
  const merged = mergeFiles(sources);
  if (!merged.ok) return merged;
  if (merged.unusable.length > 0) return { ok: false, problems: merged.unusable };
  const rules = rulesOf(merged.config, merged.snippets, digest);
  return { ok: true, rules, warnings: [...merged.warnings, ...withoutRunner(rules.destinations)] };
}

/** A destination that jobs can be sent to needs a runner, which it may have from its parents. */
function withoutRunner(destinations: readonly Entity[]): readonly Problem[] {
  return destinations
    .filter(({ abstract, destination }) => !abstract && (destination?.runner ?? '') === '')
    .map((entity) => ({ ...placeOf(entity), message: `destination '${entity.id}' has no runner` }));
}

function placeOf(entity: Entity): Place {
  return entity.place ?? { file: '', line: 1, column: 1 };
}

/** The merged files with one more. Throws InvalidParent. */
function mergeFile(before: ConfigFile, file: ConfigFile): ConfigFile {
  const over = (name: SectionName): Entities => inheritAll(mergeSection(before[name], file[name]));
  return {
    tools: over('tools'),
    roles: over('roles'),
    users: over('users'),
    destinations: over('destinations'),
    context: mergeDicts(before.context, file.context),
    defaultInherits: file.defaultInherits ?? before.defaultInherits,
    unknown: file.unknown,
  };
}

function rulesOf(merged: ConfigFile, snippets: Snippets, digest: string): Rules {
  const fallback = (name: SectionName): Entity | null => merged[name].get(merged.defaultInherits ?? '') ?? null;
  const section = (name: SectionName): Section => new Section(merged[name], fallback(name));
  return {
    digest,
    context: merged.context ?? new PyDict(),
    defaultInherits: merged.defaultInherits,
    tools: section('tools'),
    roles: section('roles'),
    users: section('users'),
    destinations: [...merged.destinations.values()].map((own) => withDefaults(own, fallback('destinations'))),
    plainDestinations: merged.destinations,
    snippets,
  };
}
