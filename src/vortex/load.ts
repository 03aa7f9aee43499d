import { PyDict } from '../python/index.ts';
import { parseYaml, valueOf, YamlError } from '../yaml/index.ts';
import type { MapNode, Node, Problem } from '../yaml/index.ts';
import { withDefaults } from './destination-defaults.ts';
import type { Entity } from './entity.ts';
import { FileReader } from './file-reader.ts';
import { inheritAll, InvalidParent, mergeSection } from './merge.ts';
import type { SectionName } from './merge.ts';
import { Section } from './section.ts';
import { readEntity } from './schema.ts';
import { Snippets } from './snippets.ts';
import type { Place } from './snippets.ts';
import { fromNode, mergeDicts } from './values.ts';

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
  readonly plainDestinations: ReadonlyMap<string, Entity>;
  readonly snippets: Snippets;
};

export type LoadResult =
  | { readonly ok: true; readonly rules: Rules; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** The merged files so far (1.2). */
type Merged = { readonly [name in SectionName]: ReadonlyMap<string, Entity> } & {
  readonly context: PyDict | null;
  readonly defaultInherits: string | null;
};

const SECTIONS = ['tools', 'roles', 'users', 'destinations'] as const;
const KINDS = { tools: 'tool', roles: 'role', users: 'user', destinations: 'destination' } as const;

/**
 * Load rule files, each over the ones before it (1.2), and compile their Python. All problems of a file are reported,
 * and none of the files after it is read. `digest` is the SHA-256 of the sources.
 */
export function loadRules(sources: readonly RuleSource[], digest = ''): LoadResult {
  const snippets = new Snippets();
  const counter = { rules: 0 };
  const places = new Map<Entity, Place>();
  const warnings: Problem[] = [];
  let merged: Merged = {
    tools: new Map(),
    roles: new Map(),
    users: new Map(),
    destinations: new Map(),
    context: null,
    defaultInherits: null,
  };
  for (const source of sources) {
    const read = new FileReader(source.name, snippets, counter);
    const next = mergeFile(merged, source, read, places);
    if (next === undefined || read.problems.length > 0) return { ok: false, problems: read.problems };
    warnings.push(...read.warnings);
    merged = next;
  }
  const fallback = (name: SectionName): Entity | null => merged[name].get(merged.defaultInherits ?? '') ?? null;
  const section = (name: SectionName): Section => new Section(merged[name], fallback(name));
  const rules: Rules = {
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
  return { ok: true, rules, warnings };
}

/** The merged files with one more; undefined when there are problems, which the reader has. */
function mergeFile(
  merged: Merged,
  source: RuleSource,
  read: FileReader,
  places: Map<Entity, Place>,
): Merged | undefined {
  const root = readRoot(source, read);
  if (root === undefined) return undefined;
  const globals = readGlobal(valueOf(root, 'global'), read);
  const fresh = {
    tools: readSection(root, 'tools', read, places),
    roles: readSection(root, 'roles', read, places),
    users: readSection(root, 'users', read, places),
    destinations: readSection(root, 'destinations', read, places),
  };
  if (read.problems.length > 0) return undefined;
  const over = (name: SectionName): ReadonlyMap<string, Entity> => inheritAll(mergeSection(merged[name], fresh[name]));
  try {
    return {
      tools: over('tools'),
      roles: over('roles'),
      users: over('users'),
      destinations: over('destinations'),
      context: mergeDicts(merged.context, globals.context),
      defaultInherits: globals.defaultInherits ?? merged.defaultInherits,
    };
  } catch (error) {
    if (!(error instanceof InvalidParent)) throw error;
    return read.problem(places.get(error.entity) ?? root.at, error.message);
  }
}

function readRoot(source: RuleSource, read: FileReader): MapNode | undefined {
  let node: Node;
  try {
    node = parseYaml(source.text);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return read.problem(error, error.message);
  }
  if (node.kind === 'null') return read.problem(node, 'the file is empty', 'write {} for a file without rules');
  const root = read.expectMap(node, 'a rule file');
  for (const { name, key } of root === undefined ? [] : read.entries(root, 'the file')) {
    if (name !== 'global' && !SECTIONS.some((section) => section === name)) {
      read.warning(key, `the file has an unknown key '${name}'`, `known keys: global, ${SECTIONS.join(', ')}`);
    }
  }
  return root;
}

function readGlobal(
  node: Node | undefined,
  read: FileReader,
): { context: PyDict | null; defaultInherits: string | null } {
  const map = node === undefined ? undefined : read.expectMap(node, "'global'");
  if (map === undefined) return { context: null, defaultInherits: null };
  const inherits = valueOf(map, 'default_inherits');
  const context = valueOf(map, 'context');
  const variables = context === undefined ? undefined : read.expectMap(context, "'context' of 'global'");
  return {
    context:
      variables === undefined
        ? null
        : new PyDict(
            read.entries(variables, "'context' of 'global'").map(({ name, value }) => [name, fromNode(value)]),
          ),
    defaultInherits:
      inherits === undefined || inherits.kind === 'null'
        ? null
        : (read.expectString(inherits, "'default_inherits'") ?? null),
  };
}

function readSection(
  root: MapNode,
  name: SectionName,
  read: FileReader,
  places: Map<Entity, Place>,
): ReadonlyMap<string, Entity> {
  const node = valueOf(root, name);
  const map = node === undefined ? undefined : read.expectMap(node, `'${name}'`);
  const entities = new Map<string, Entity>();
  for (const { name: id, key, value } of map === undefined ? [] : read.entries(map, `'${name}'`)) {
    const entity = readEntity(KINDS[name], id, value, `${KINDS[name]} '${id}'`, read);
    if (entity === undefined) continue;
    if (name !== 'destinations') read.pattern(key, id);
    entities.set(id, entity);
    places.set(entity, { file: read.file, ...key.at });
  }
  return entities;
}
