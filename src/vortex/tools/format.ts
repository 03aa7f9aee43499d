import { isPlainString, YamlError } from '../../yaml/index.ts';
import { emitYaml } from './yaml/emit.ts';
import { idOf } from './yaml/loaded.ts';
import { readLayout } from './yaml/layout.ts';
import { represented } from './yaml/represent.ts';
import type { Loaded, LoadedEntry, LoadedMap, LoadedScalar } from './yaml/loaded.ts';
import { templateIn } from '../file/parse-rules.ts';
import { plainFile } from './plain-file.ts';

/**
 * The order of a mapping's keys: the named ones first, then ids with a slash, then by text; `each`
 * orders their values.
 */
type Order = { readonly first: readonly string[]; readonly each: (key: string) => Order | null };

const BASIC = [
  'id',
  'inherits',
  'if',
  'context',
  'gpus',
  'cores',
  'mem',
  'env',
  'params',
  'scheduling',
] as const;
const SCHEDULING = flat('require', 'prefer', 'accept', 'reject');

const RULE: Order = { first: BASIC, each: within };
const RULES: Order = { first: [], each: () => RULE };
const ENTITY: Order = {
  first: [...BASIC, 'rules'],
  each: (key) => (key === 'rules' ? RULES : within(key)),
};

/**
 * A rule file in TPV's order: sections, entities, their keys and mappings of rules are sorted,
 * lists and context keep their order, and comments move with what they belong to. The text is that
 * of `tpv format` byte for byte, unless that changes the meaning or cannot be read. Throws
 * YamlError, also for a `default_inherits` that is a list or mapping, and for a result that would
 * not mean the same as the file.
 */
export function formatRules(text: string): string {
  const document = layoutOf(text);
  if (!isFile(document)) throw new YamlError('a rule file must be a mapping', 1, 1);
  const sorted = ordered(document, fileOrder(defaultInheritsOf(document)));
  const formatted = emitYaml(represented(sorted), { longestKey: 1019 });
  const said = plainFile(text);
  if (said === undefined || plainFile(formatted) === said) return formatted;
  const advice = 'take out comments and names that stand in braces';
  throw new YamlError(
    `this file cannot be laid out so that it still says what it says: ${advice}`,
    1,
    1,
  );
}

type Flat = ReadonlyMap<string, LoadedEntry>;

function layoutOf(text: string): Loaded {
  try {
    // Python reads every kind of line break as one.
    return readLayout(text.replaceAll(/\r\n?/g, '\n'));
  } catch (error) {
    throw error instanceof YamlError ? (templateIn(text) ?? error) : error;
  }
}

/** Whether a document is a mapping, or empty. */
function isFile(document: Loaded): boolean {
  return (
    document.kind === 'map' ||
    (document.kind === 'seq'
      ? document.items.length === 0
      : document.kind !== 'scalar' || document.text === '')
  );
}

/**
 * Sorted mappings are written in blocks, without an anchor, and with merged keys among their own.
 * Comments stay with their entries, and values below keep their style.
 */
function ordered(document: Loaded, order: Order | null): Loaded {
  if (order === null || document.kind === 'scalar') return document;
  if (document.kind === 'seq') {
    const each = order.each('*');
    const items = document.items.map((item) => ({ ...item, node: ordered(item.node, each) }));
    return { kind: 'seq', flow: false, items };
  }
  const entries = [...flattened(document).values()]
    .toSorted((a, b) => compare(a.key, b.key, order))
    .map((entry) => ({ ...entry, node: ordered(entry.node, order.each(entry.key.text)) }));
  return { kind: 'map', flow: false, entries };
}

/** The entries of a mapping by key, then those that it merges and does not have itself. */
function flattened({ entries, merge }: LoadedMap, known = new Map<LoadedMap, Flat>()): Flat {
  const flat = new Map(entries.map((entry) => [idOf(entry.key), entry]));
  const sources =
    merge?.source.kind === 'seq' ? merge.source.items.map(({ node }) => node) : [merge?.source];
  for (const source of sources) {
    if (source?.kind !== 'map') continue;
    const merged = known.get(source) ?? flattened(source, known);
    known.set(source, merged);
    for (const [name, { key, node }] of merged) {
      // The comments of a merged entry stay at its own place.
      if (!flat.has(name)) flat.set(name, { key, node });
    }
  }
  return flat;
}

function compare(a: LoadedScalar, b: LoadedScalar, { first }: Order): number {
  const place = ({ text }: LoadedScalar): number =>
    first.includes(text) ? first.indexOf(text) : first.length;
  const isLocal = ({ text }: LoadedScalar): number => (text.includes('/') ? 0 : 1);
  return (
    place(a) - place(b) ||
    isLocal(a) - isLocal(b) ||
    (a.text < b.text ? -1 : a.text > b.text ? 1 : 0)
  );
}

/** The order of a whole file. The entity that others inherit from comes first in its section. */
function fileOrder(defaultInherits: string | undefined): Order {
  const entities: Order = {
    first: defaultInherits === undefined ? [] : [defaultInherits],
    each: () => ENTITY,
  };
  const sections = ['tools', 'roles', 'users', 'destinations'];
  return {
    first: ['global', ...sections],
    each: (key) => (sections.includes(key) ? entities : null),
  };
}

function defaultInheritsOf(document: Loaded): string | undefined {
  const global = document.kind === 'map' ? valueOf(document, 'global') : undefined;
  const inherits = global?.kind === 'map' ? valueOf(global, 'default_inherits') : undefined;
  if (inherits !== undefined && !isName(inherits))
    throw new YamlError('default_inherits is no name of an entity', 1, 1);
  return inherits?.kind === 'scalar' ? nameOf(inherits) : 'default';
}

function valueOf(map: LoadedMap, name: string): Loaded | undefined {
  return flattened(map).get(name)?.node;
}

/** TPV uses the name as a key of a dict, which allows no list or mapping but an empty one. */
function isName(value: Loaded): boolean {
  if (value.kind === 'seq') return value.items.length === 0;
  return value.kind === 'scalar' || value.entries.length === 0;
}

/**
 * The name, if it is text. Any other value names no entity; one that is false in Python counts as
 * left out.
 */
function nameOf({ text, isPlain, tag }: LoadedScalar): string | undefined {
  if (tag !== undefined) return undefined;
  if (
    text === '' ||
    (isPlain &&
      !isPlainString(text) &&
      (text === 'false' || Number(text.replaceAll('_', '')) === 0))
  )
    return 'default';
  return isPlain && !isPlainString(text) ? undefined : text;
}

function within(key: string): Order | null {
  if (key === 'env' || key === 'params') return flat();
  return key === 'scheduling' ? SCHEDULING : null;
}

function flat(...first: readonly string[]): Order {
  return { first, each: () => null };
}
