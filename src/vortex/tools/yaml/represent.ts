import type { Comments, EmittedNode, ScalarOut } from './document.ts';
import { AnchorNames } from './names.ts';
import type { Loaded, LoadedMap, LoadedScalar, LoadedSeq, Own } from './loaded.ts';

/**
 * A loaded document as ruamel.yaml writes it. A node with several places is written at the first,
 * with an anchor, and keeps the comments of the last. A scalar keeps its anchor.
 */
export function represented(root: Loaded): EmittedNode {
  const draft = new Drafting().node(root);
  return new Writing(new AnchorNames(draft)).node(draft);
}

/** A node on its way to the document: one object for all its places. */
export type Draft = {
  readonly node:
    | LoadedScalar
    | {
        readonly kind: 'seq' | 'map';
        readonly flow: boolean;
        readonly anchor?: string | undefined;
        readonly tag?: string | undefined;
      };
  /** Items of a list, or keys and values alternating. */
  readonly children: Draft[];
  comments: Own | undefined;
};

class Drafting {
  readonly #known = new Map<Loaded, Draft>();

  node(node: Loaded): Draft {
    if (node.kind === 'scalar' && !isObject(node))
      return { node, children: [], comments: node.own };
    const known = this.#known.get(node);
    if (known !== undefined) return known;
    const draft: Draft = { node, children: [], comments: node.own };
    this.#known.set(node, draft);
    if (node.kind === 'seq') this.#items(node, draft);
    if (node.kind === 'map') this.#entries(node, draft);
    return draft;
  }

  #items({ items }: LoadedSeq, list: Draft): void {
    // A comment behind `|` or `>` in a list makes ruamel.yaml forget the comments of all items.
    const isForgotten = items.some(
      ({ comments }) => comments?.before?.some(({ isHeader }) => isHeader) === true,
    );
    if (isForgotten) list.comments = { ...list.comments, end: undefined };
    for (const item of items) {
      const draft = this.node(item.node);
      if (item.comments !== undefined && !isForgotten) {
        const { after, before, end } = draft.comments ?? {};
        draft.comments = {
          after: after ?? item.comments.after,
          before: before ?? item.comments.before,
          end,
        };
      }
      list.children.push(draft);
    }
  }

  #entries({ entries, merge }: LoadedMap, { children }: Draft): void {
    const merges = (at: number): Draft[] =>
      merge?.at === at
        ? [{ node: MERGE, children: [], comments: undefined }, this.node(merge.source)]
        : [];
    for (const [index, entry] of entries.entries()) {
      children.push(...merges(index));
      const [key, value] = [this.node(entry.key), this.node(entry.node)];
      if (entry.comments !== undefined) {
        key.comments = entry.comments.key;
        value.comments = { ...entry.comments.value, end: value.comments?.end };
      }
      children.push(key, value);
    }
    children.push(...merges(entries.length));
  }
}

const MERGE: LoadedScalar = { kind: 'scalar', text: '<<', style: 'any', isPlain: true };

/** Writes drafts; one that is written already becomes an alias. */
class Writing {
  readonly #names: AnchorNames;
  readonly #written = new Set<Draft>();

  constructor(names: AnchorNames) {
    this.#names = names;
  }

  node(draft: Draft): EmittedNode {
    const name = this.#names.of(draft);
    if (this.#written.has(draft))
      return { kind: 'scalar', text: '', style: 'any', isPlain: true, alias: `*${name ?? ''}` };
    this.#written.add(draft);
    const { node, children, comments = {} } = draft;
    const mark = name === undefined ? {} : { mark: `&${name}` };
    if (node.kind === 'scalar') return this.#scalar(node, comments, mark);
    const { flow, tag } = node;
    const { after, before, end } = comments;
    const around = { after, before, flow, tag, ...mark };
    if (node.kind === 'seq')
      return { kind: 'seq', ...around, end, items: children.map((child) => this.node(child)) };
    const entries: (readonly [ScalarOut, EmittedNode])[] = [];
    for (let at = 0; at + 1 < children.length; at += 2) {
      const [key, value] = children.slice(at, at + 2).map((child) => this.node(child));
      if (key?.kind === 'scalar' && value !== undefined) entries.push([key, value]);
    }
    return { kind: 'map', ...around, entries };
  }

  #scalar(
    { anchor: _anchor, own: _own, ...text }: LoadedScalar,
    { after, before }: Comments,
    mark: { mark?: string },
  ): ScalarOut {
    return { ...text, after, before, ...mark };
  }
}

/**
 * Whether ruamel.yaml makes an object of a scalar: it has an anchor or a kept tag, or is a date.
 */
function isObject({ anchor, tag, text, isPlain }: LoadedScalar): boolean {
  return anchor !== undefined || tag !== undefined || (isPlain && /^\d{4}-\d\d?-\d/.test(text));
}
