import type { Draft } from './represent.ts';

/** Anchors that ruamel.yaml makes; a collection drops one that looks like them. */
const MADE = /^id(?!000$)\d{3,}/;

/**
 * The anchors of a document as it is written. A node that needs one and has none in the file gets
 * `id001` and so on.
 */
export class AnchorNames {
  readonly #names = new Map<Draft, string | undefined>();
  #made = 0;

  constructor(root: Draft) {
    this.#count(root);
  }

  of(draft: Draft): string | undefined {
    return this.#names.get(draft);
  }

  #count(draft: Draft): void {
    const { node } = draft;
    const anchor =
      (node.kind !== 'scalar' || node.tag !== undefined) && MADE.test(node.anchor ?? '')
        ? undefined
        : node.anchor;
    if (this.#names.has(draft)) {
      if (this.#names.get(draft) === undefined) this.#names.set(draft, anchor ?? this.#next());
      return;
    }
    this.#names.set(draft, node.kind === 'scalar' ? anchor : undefined);
    for (const child of draft.children) this.#count(child);
  }

  #next(): string {
    this.#made += 1;
    return `id${String(this.#made).padStart(3, '0')}`;
  }
}
