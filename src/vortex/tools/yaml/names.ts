import type { Draft } from './represent.ts';

/** Names that ruamel.yaml makes; a collection does not keep one that looks like them. */
const MADE = /^id(?!000$)\d{3,}/;

/**
 * The names of the nodes of a document as it is written; what has none in the file
 * and needs one is `id001` and on.
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
