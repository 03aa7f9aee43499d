import type { Comments, Document, ScalarOut } from './document.ts';

/**
 * A document with its anchors and aliases written out as ruamel.yaml does: what stands more than once is written where it
 * comes first, and named there; a scalar that has a name keeps it. Names that the file does not give are `id001` and on.
 */
export function withAnchors(document: Document): Document {
  const names = new Map<object, string | null>();
  count(document, names, { made: 0 });
  return new Marking(names, commentsOf(document, names)).node(document);
}

/** Aliases of a node know which one it is. */
function identityOf(node: Document): object {
  return node.identity ?? node;
}

/** A date is an object of its own to ruamel.yaml, that its name in the file is not kept with. */
function isDate({ text, isPlain }: ScalarOut): boolean {
  return isPlain && /^\d{4}-\d\d?-\d/.test(text);
}

function isNamed({ anchor }: Document): boolean {
  return anchor !== undefined;
}

/** Goes over a document as it is written; a node that comes again gets its name then. */
function count(node: Document, names: Map<object, string | null>, numbers: { made: number }): void {
  const identity = identityOf(node);
  if (node.kind === 'scalar' && node.tag === undefined && !isDate(node)) {
    if (isNamed(node)) names.set(identity, node.anchor ?? null);
    return;
  }
  const known = names.get(identity);
  if (known !== undefined) {
    if (known === null) names.set(identity, node.anchor ?? nextName(numbers));
    return;
  }
  names.set(identity, node.kind === 'scalar' ? (node.anchor ?? null) : null);
  for (const child of childrenOf(node)) count(child, names, numbers);
}

/**
 * The comments of what has a name. They are those of the node, wherever it stands, and are written with it; of several
 * the last ones stay.
 */
function commentsOf(node: Document, names: ReadonlyMap<object, string | null>): Map<object, Comments> {
  const found = new Map<object, Comments>();
  const visit = (one: Document): void => {
    const identity = identityOf(one);
    const { after, before } = one;
    if ((names.get(identity) ?? null) !== null && (after !== undefined || before !== undefined))
      found.set(identity, { after, before });
    for (const child of childrenOf(one)) visit(child);
  };
  visit(node);
  return found;
}

function nextName(numbers: { made: number }): string {
  numbers.made += 1;
  return `id${String(numbers.made).padStart(3, '0')}`;
}

function childrenOf(node: Document): readonly Document[] {
  if (node.kind === 'scalar') return [];
  return node.kind === 'seq' ? node.items : node.entries.flatMap(([key, value]) => [key, value]);
}

class Marking {
  readonly #names: ReadonlyMap<object, string | null>;
  readonly #comments: ReadonlyMap<object, Comments>;
  readonly #written = new Set<object>();

  constructor(names: ReadonlyMap<object, string | null>, comments: ReadonlyMap<object, Comments>) {
    this.#names = names;
    this.#comments = comments;
  }

  node(node: Document): Document {
    const identity = identityOf(node);
    const name = this.#names.get(identity) ?? null;
    if (name === null) return this.#inside(node);
    if (this.#written.has(identity)) return { kind: 'scalar', text: '', style: 'any', isPlain: true, alias: `*${name}` };
    this.#written.add(identity);
    return { ...this.#inside(node), ...this.#comments.get(identity), mark: `&${name}` };
  }

  #inside(node: Document): Document {
    switch (node.kind) {
      case 'scalar':
        return node;
      case 'seq':
        return { ...node, items: node.items.map((item) => this.node(item)) };
      case 'map':
        return { ...node, entries: node.entries.map(([key, value]) => [this.#key(key), this.node(value)] as const) };
      default:
        return node satisfies never;
    }
  }

  #key(key: ScalarOut): ScalarOut {
    const marked = this.node(key);
    return marked.kind === 'scalar' ? marked : key;
  }
}
