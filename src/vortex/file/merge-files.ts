import type { FileProblem } from '../../yaml/index.ts';
import type { Entity } from '../entity/entity.ts';
import { NO_EXTRA, readConfigFile } from './config-file.ts';
import type { ConfigFile } from './config-file.ts';
import { FileReader, UNUSABLE_PATTERN } from './file-reader.ts';
import type { Broken } from './file-reader.ts';
import { inheritAll, InvalidParent, mergeSection } from './merge.ts';
import type { Entities, SectionName } from './merge.ts';
import { missingModules } from './missing-modules.ts';
import type { RuleSource } from './rules.ts';
import { Snippets } from './snippets.ts';
import type { SnippetPlace } from './snippets.ts';
import { mergeDicts } from '../values.ts';

/** Rule files merged into one configuration. */
export type Merged = {
  readonly config: ConfigFile;
  readonly snippets: Snippets;
  readonly warnings: readonly FileProblem[];
  /**
   * Texts of rules in any file that are not Python, even of rules that a later file replaces. The
   * warnings list them too.
   */
  readonly broken: readonly Broken[];
  /** Keys that are no regular expressions: TPV loads them, and fails when it uses them. */
  readonly unusable: readonly FileProblem[];
};

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

/**
 * Read and merge rule files, each over the ones before it, and report the problems of all files
 * together. `keepsSpelling` is for files that are to be written again: they cannot be decided from.
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
    // TPV merges each file before it reads the next: a problem of merging the sound files comes
    // first.
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

/** Where an entity stands in the rule files. */
export function placeOf(entity: Entity): SnippetPlace {
  return entity.place ?? { file: '', line: 1, column: 1 };
}

/** TPV loads a file whose keys are no regular expressions. */
function isRefusal({ code }: FileProblem): boolean {
  return code !== UNUSABLE_PATTERN;
}

/** One more file over the merged ones. Throws InvalidParent. */
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
 * The problems of a file, with the one first for which TPV refuses it. TPV reads the YAML, then the
 * shape of every entity, and compiles Python last; within each stage it goes in the order of the
 * file.
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
