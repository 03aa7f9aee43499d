import { PyDict } from '../../python/index.ts';
import type { Value } from '../../python/index.ts';
import { valueOf, YamlError } from '../../yaml/index.ts';
import type { MapNode, Node, StringNode } from '../../yaml/index.ts';
import type { Entity } from '../entity/entity.ts';
import type { FileReader } from './file-reader.ts';
import { SECTIONS } from './merge.ts';
import type { Entities, SectionName } from './merge.ts';
import { parseRules } from './parse-rules.ts';
import { readStore } from './schema/pools.ts';
import type { StoreConfig } from './schema/pools.ts';
import { readEntity } from './schema/entity.ts';
import type { SnippetPlace } from './snippets.ts';

/** One rule file as data; null for what it does not set. */
export type ConfigFile = { readonly [name in SectionName]: Entities } & {
  readonly context: PyDict | null;
  readonly defaultInherits: string | null;
  /** Where the pools keep what they hold. */
  readonly store: StoreConfig | null;
  /** Unknown keys of the file itself and of `global`, by their path in TPV's own names. */
  readonly unknown: ReadonlyMap<string, SnippetPlace>;
  /** Values of unknown keys; only of files that are to be written again. */
  readonly extra: { readonly root: Extra; readonly global: Extra };
};

type Extra = readonly (readonly [string, Value])[];

const KINDS = {
  tools: 'tool',
  roles: 'role',
  users: 'user',
  destinations: 'destination',
  pools: 'pool',
} as const;

/** The keys of `global` that TPV knows. */
const GLOBAL = ['default_inherits', 'context', 'resource_pool_store'] as const;

/**
 * Read a rule file, its sections in TPV's order. The reader collects the problems; undefined when
 * the file has no mapping at its top.
 */
export function readConfigFile(text: string, read: FileReader): ConfigFile | undefined {
  const root = readRoot(text, read);
  if (root === undefined) return undefined;
  const lines = text.split('\n');
  const section = (name: SectionName): Entities => readSection(root, name, lines, read);
  return {
    ...readGlobal(valueOf(root, 'global'), read),
    unknown: unknownKeys(root, read),
    extra: extraOf(root, read),
    tools: section('tools'),
    users: section('users'),
    roles: section('roles'),
    destinations: section('destinations'),
    pools: section('pools'),
  };
}

export const NO_EXTRA: ConfigFile['extra'] = { root: [], global: [] };

/** The top of a file; undefined when it is no mapping. */
function readRoot(text: string, read: FileReader): MapNode | undefined {
  let node: Node;
  try {
    node = parseRules(text, { keepsSpelling: read.keepsSpelling });
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return read.problem(error, error.message, undefined, error.name);
  }
  if (node.kind === 'null')
    return read.problem(
      node,
      'the file is empty',
      'write {} for a file without rules',
      'TypeError',
    );
  const root = read.expectMap(node, 'a rule file');
  for (const { name, key } of read.entries(root, 'the file')) {
    if (name !== 'global' && !SECTIONS.some((section) => section === name)) {
      read.warning(
        key,
        `the file has an unknown key '${name}'`,
        `known keys: global, ${SECTIONS.join(', ')}`,
      );
    }
  }
  return root;
}

function readSection(
  root: MapNode,
  name: SectionName,
  lines: readonly string[],
  read: FileReader,
): Entities {
  const node = valueOf(root, name);
  const entities = new Map<string, Entity>();
  for (const { name: id, key, value } of read.entries(node, `'${name}'`)) {
    const entity = readEntity(KINDS[name], id, value, `${KINDS[name]} '${id}'`, read);
    if (entity === undefined) continue;
    // Destinations and pools have names; the keys of the others are patterns.
    if (name !== 'destinations' && name !== 'pools') read.pattern(key, id);
    entity.place = { file: read.file, ...key.at };
    // To TPV's YAML reader, comment lines below a comment on the key's line belong to that comment.
    if (!/:\s+(?:&\S+\s+)?#/.test(lines[key.at.line - 1] ?? ''))
      entity.silenced = silencedBy(lines.slice(key.at.line, value.at.line - 1));
    entities.set(id, entity);
  }
  return entities;
}

/**
 * The lint codes that comments between an entity's key and its body silence: `# noqa: T102`; `#
 * noqa` silences all.
 */
function silencedBy(lines: readonly string[]): readonly string[] {
  for (const line of lines) {
    const found = /^\s*#\s*noqa:?\s*([A-Z0-9, ]+)?/.exec(line);
    if (found !== null)
      return found[1] === undefined ? ['noqa'] : found[1].split(',').map((code) => code.trim());
  }
  return [];
}

function readGlobal(
  node: Node | undefined,
  read: FileReader,
): Pick<ConfigFile, 'context' | 'defaultInherits' | 'store'> {
  const map = read.expectMap(node, "'global'");
  if (map === undefined) return { context: null, defaultInherits: null, store: null };
  const inherits = valueOf(map, 'default_inherits');
  const context = valueOf(map, 'context');
  const variables = read.expectMap(context, "'context' of 'global'");
  return {
    context:
      variables === undefined
        ? null
        : new PyDict(
            read
              .entries(variables, "'context' of 'global'")
              .map(({ name, value }) => [name, read.value(value, false)]),
          ),
    defaultInherits:
      inherits === undefined || inherits.kind === 'null'
        ? null
        : (read.expectString(inherits, "'default_inherits'") ?? null),
    store: readStore(valueOf(map, 'resource_pool_store'), read),
  };
}

function unknownKeys(root: MapNode, read: FileReader): ReadonlyMap<string, SnippetPlace> {
  const global = valueOf(root, 'global');
  const outside = keysOf(root, ['global', ...SECTIONS]).map((key) => ({
    path: `.${key.value}`,
    key,
  }));
  const inside = global?.kind === 'map' ? keysOf(global, GLOBAL) : [];
  const places = [
    ...outside,
    ...inside.map((key) => ({ path: `.global_config.${key.value}`, key })),
  ];
  return new Map(places.map(({ path, key }) => [path, { file: read.file, ...key.at }]));
}

function keysOf(map: MapNode, known: readonly string[]): readonly StringNode[] {
  return map.entries.flatMap(({ key }) =>
    key.kind === 'string' && !known.includes(key.value) ? [key] : [],
  );
}

function extraOf(root: MapNode, read: FileReader): ConfigFile['extra'] {
  if (!read.keepsSpelling) return NO_EXTRA;
  const global = valueOf(root, 'global');
  const values = (map: MapNode, known: readonly string[]): Extra =>
    keysOf(map, known).flatMap(({ value: key }): Extra => {
      const value = valueOf(map, key);
      return value === undefined ? [] : [[key, read.value(value, false)]];
    });
  return {
    root: values(root, ['global', ...SECTIONS]),
    global: global?.kind === 'map' ? values(global, GLOBAL) : [],
  };
}
