import type { Comment } from './document.ts';
import { columnAt, gapAfter, gapAfterBlock } from './remarks.ts';
import type { Before, Gap, RemarkSource } from './remarks.ts';

/** The comments of a token, until they reach a node. */
export type Carried = { post?: Comment | undefined; pre?: readonly Comment[] | undefined };

/**
 * The tokens of a text, read from the front, with their comments. ruamel.yaml hands the comments of
 * a token that is no value to the next one, which may have no text, such as the start of a mapping:
 * `give` and `take`.
 */
export class Tokens {
  readonly #source: RemarkSource;
  #at: number;
  /** Comments of the next token. */
  #next: Carried | undefined;

  /** Comments above the first token belong to no node and are left out. */
  constructor(source: RemarkSource) {
    this.#source = source;
    const head = /\uFEFF?(?:(?:%[^\n]*|[ \t]*(?:#[^\n]*)?)\n)*(?:---(?=\s|$))?/y;
    this.#at = gapAfter(source, head.exec(source.text)?.[0].length ?? 0, 'other').next;
  }

  /** Offset of the next token that has text. */
  get at(): number {
    return this.#at;
  }

  get column(): number {
    return columnAt(this.#source, this.#at);
  }

  is(sign: string): boolean {
    return this.#source.text.startsWith(sign, this.#at);
  }

  /** Steps over a token that ends before `end`, and gives its comments. */
  step(end: number, before: Before): Carried | undefined {
    return this.#over(gapAfter(this.#source, end, before));
  }

  sign(before: Before = 'other'): Carried | undefined {
    return this.step(this.#at + 1, before);
  }

  /** Steps over a block of text; `indent` is that of its lines, undefined when it has none. */
  block(indent: number | undefined): Carried | undefined {
    const gap = gapAfterBlock(this.#source, this.#at, indent);
    if (gap.header !== undefined)
      this.#next = { ...this.#next, pre: [...(this.#next?.pre ?? []), gap.header] };
    return this.#over(gap);
  }

  /** The comments of the next token, which has no text or stays unread. */
  take(): Carried | undefined {
    const next = this.#next;
    this.#next = undefined;
    return next;
  }

  /** Hands comments on to the next token. */
  give(comments: Carried | undefined): void {
    if (comments === undefined) return;
    const { post = this.#next?.post, pre = [] } = comments;
    const all = [...pre, ...(this.#next?.pre ?? [])];
    this.#next = { post, pre: all.length > 0 ? all : undefined };
  }

  #over({ post, pre, next, isScalars }: Gap): Carried | undefined {
    const comments = this.take();
    this.#at = next;
    if (pre.length > 0) this.#next = { pre };
    if (post === undefined) return comments;
    const { post: known } = comments ?? {};
    // TPV fails when a comment behind the key meets these empty lines; here both stay.
    const isBoth = isScalars === true && known !== undefined;
    return {
      ...comments,
      post: isBoth ? { ...known, text: known.text + post.text.slice(1) } : post,
    };
  }
}
