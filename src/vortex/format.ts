import { emitYaml, readLayout, withAnchors, YamlError } from '../yaml/index.ts';
import type { Document, MapOut, ScalarOut } from '../yaml/index.ts';
import { templateIn } from './parse-rules.ts';

/**
 * The order of a mapping's keys: those named first, then ids with a slash, then by text; `each` is for their values.
 */
type Order = { readonly first: readonly string[]; readonly each: (key: string) => Order | null };

const flat = (...first: readonly string[]): Order => ({ first, each: () => null });

const BASIC = ['id', 'inherits', 'if', 'context', 'gpus', 'cores', 'mem', 'env', 'params', 'scheduling'] as const;
const SCHEDULING = flat('require', 'prefer', 'accept', 'reject');

function within(key: string): Order | null {
  if (key === 'env' || key === 'params') return flat();
  return key === 'scheduling' ? SCHEDULING : null;
}

const RULE: Order = { first: BASIC, each: within };
const RULES: Order = { first: [], each: () => RULE };
const ENTITY: Order = { first: [...BASIC, 'rules'], each: (key) => (key === 'rules' ? RULES : within(key)) };

/** The order of a whole file; the entity that the others inherit from comes first in its section. */
function fileOrder(defaultInherits: string): Order {
  const entities: Order = { first: [defaultInherits], each: () => ENTITY };
  const sections = ['tools', 'roles', 'users', 'destinations'];
  return { first: ['global', ...sections], each: (key) => (sections.includes(key) ? entities : null) };
}

/**
 * A rule file in TPV's order, byte by byte as `tpv format` prints it (1.22): sections, entities and their keys are
 * sorted, rules and context stay in theirs; comments go with what they hang on. Throws YamlError, also where
 * `default_inherits` is a list or mapping.
 */
export function formatRules(text: string): string {
  const document = layoutOf(text);
  const sorted = ordered(document, fileOrder(defaultInheritsOf(document)));
  return emitYaml(withAnchors(sorted), { longestKey: 1019 });
}

function layoutOf(text: string): Document {
  try {
    // As Python reads a file: any line break is one.
    return readLayout(text.replaceAll(/\r\n?/g, '\n'));
  } catch (error) {
    throw error instanceof YamlError ? (templateIn(text) ?? error) : error;
  }
}

function defaultInheritsOf(document: Document): string {
  const global = document.kind === 'map' ? valueOf(document, 'global') : undefined;
  const inherits = global?.kind === 'map' ? valueOf(global, 'default_inherits') : undefined;
  if (inherits !== undefined && !isName(inherits)) throw new YamlError('default_inherits is no name of an entity', 1, 1);
  return inherits?.kind === 'scalar' && inherits.text !== '' ? inherits.text : 'default';
}

/** TPV puts the name into a dict, which takes no list or mapping but an empty one. */
function isName(value: Document): boolean {
  if (value.kind === 'seq') return value.items.length === 0;
  return value.kind === 'scalar' || value.entries.length === 0;
}

function valueOf({ entries }: MapOut, name: string): Document | undefined {
  return entries.find(([key]) => key.text === name)?.[1];
}

/**
 * What is sorted is written anew and in blocks, whatever it was in, without a name of its own and with what it merges
 * among its own keys; what stands below keeps its style.
 */
function ordered(document: Document, order: Order | null): Document {
  if (order === null || document.kind === 'scalar') return document;
  const fresh = { anchor: undefined, identity: undefined, tag: undefined, flow: false };
  if (document.kind === 'seq') {
    const each = order.each('*');
    return { ...document, ...fresh, items: document.items.map((item) => ordered(item, each)) };
  }
  const entries = flattened(document).sort(([a], [b]) => compare(a, b, order));
  return {
    ...document,
    ...fresh,
    entries: entries.map(([key, value]) => [key, ordered(value, order.each(key.text))] as const),
  };
}

type Entries = MapOut['entries'];

/** The entries of a mapping, then those that it merges and does not have itself; comments stay where they stand. */
function flattened({ entries }: MapOut): Entries[number][] {
  const own = entries.filter(([key]) => !isMerge(key));
  const merged = entries
    .filter(([key]) => isMerge(key))
    .flatMap(([, value]) => (value.kind === 'seq' ? value.items : [value]))
    .flatMap((source) => (source.kind === 'map' ? flattened(source) : []))
    .map(([key, value]) => [{ ...key, before: undefined }, bare(value)] as const);
  const known = new Set<string>();
  return [...own, ...merged].filter(([{ text }]) => !known.has(text) && known.add(text).has(text));
}

function isMerge({ text, isPlain }: ScalarOut): boolean {
  return text === '<<' && isPlain;
}

/** A node without the comments at its place; it stays the same node. */
function bare(node: Document): Document {
  return { ...node, after: undefined, before: undefined, identity: node.identity ?? node };
}

function compare(a: ScalarOut, b: ScalarOut, { first }: Order): number {
  const place = ({ text }: ScalarOut): number => (first.includes(text) ? first.indexOf(text) : first.length);
  const isLocal = ({ text }: ScalarOut): number => (text.includes('/') ? 0 : 1);
  return place(a) - place(b) || isLocal(a) - isLocal(b) || (a.text < b.text ? -1 : a.text > b.text ? 1 : 0);
}
