import type { Comment, Comments } from './document.ts';

/** What a comment can hang behind; it is found only once the node is read. */
type Holder = { after?: Comment | undefined };
type Last = {
  readonly holder: Holder | null;
  readonly kind: 'plain' | 'quoted' | 'block' | 'colon' | 'close' | 'dash' | 'other';
  readonly end: number;
};

/**
 * The text between the values of a document, read from the front: comments, empty lines and signs. Behind a scalar all
 * comments up to the next sign hang on it; behind `:`, `]` and `}` only one that begins on the same line, with what
 * follows it; any other stands above what comes next.
 */
export class Gaps {
  readonly #text: string;
  #last: Last = { holder: null, kind: 'other', end: 0 };
  /** Of the value whose `:` has been read. */
  #value: Holder = {};
  #before: Comment[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  get at(): number {
    return this.#last.end;
  }

  /** Reads on to where the next value starts. Gives the comments that stand above it. */
  advance(start: number): readonly Comment[] {
    this.#read((offset) => offset >= start);
    const before = this.#before;
    this.#before = [];
    return before;
  }

  /** Puts down a scalar that ends before `end`. */
  scalar<T extends object>(scalar: T, end: number, kind: 'plain' | 'quoted' | 'block'): T {
    const holder: T & Holder = { ...scalar };
    this.#last = { holder, kind, end };
    this.#value = {};
    return holder;
  }

  /** A value that is not written at all: it has what hangs behind its `:`. */
  absent<T extends object>(scalar: T): T {
    this.#readColon();
    const holder = this.#value;
    this.#value = {};
    return Object.assign(holder, scalar);
  }

  /** Reads up to the start of a collection. Gives what hangs on it; nothing hangs on that of the root. */
  open(start: number, isFlow: boolean, isRoot: boolean): Comments {
    const before = this.advance(start);
    const { after } = this.#value;
    this.#value = {};
    if (isFlow) this.#last = { holder: null, kind: 'other', end: start + 1 };
    if (isRoot) return {};
    return { ...(after === undefined ? {} : { after }), ...(before.length === 0 ? {} : { before }) };
  }

  /** Reads over the end of a flow collection, on which a comment may hang in turn. */
  close<T extends object>(collection: T, isFlow: boolean): T {
    if (!isFlow) return collection;
    const holder: T & Holder = { ...collection };
    this.#read((_offset, sign) => sign === ']' || sign === '}');
    this.#last = { holder, kind: 'close', end: this.#last.end + 1 };
    return holder;
  }

  /** Reads the `:` behind a key whose value is not there. */
  #readColon(): void {
    this.#read((_offset, sign) => sign === ':');
    this.#sign(':', this.#last.end);
    // Look for a comment on its line; one further down stands above what comes next.
    const newline = this.#text.indexOf('\n', this.#last.end);
    const rest = this.#text.slice(this.#last.end, newline < 0 ? this.#text.length : newline);
    if (/^\s*#/.test(rest)) this.#hang(this.#nextSign(this.#last.end));
  }

  /** Reads signs, and hangs the comments between them, until `isEnd` says so of a sign or of an offset. */
  #read(isEnd: (offset: number, sign: string) => boolean): void {
    for (;;) {
      const offset = this.#nextSign(this.#last.end);
      this.#hang(offset);
      const sign = this.#text.charAt(offset);
      if (sign === '' || isEnd(offset, sign)) {
        this.#last = { holder: null, kind: 'other', end: offset };
        return;
      }
      this.#sign(sign, offset);
    }
  }

  #sign(sign: string, offset: number): void {
    if (sign === ':') this.#value = {};
    if (sign === '&' || sign === '!') {
      // Behind a name or a tag, as behind a dash, a comment goes above what comes next.
      this.#last = { holder: null, kind: 'dash', end: this.#endOfWord(offset) };
      return;
    }
    this.#last =
      sign === ':'
        ? { holder: this.#value, kind: 'colon', end: offset + 1 }
        : { holder: null, kind: sign === '-' ? 'dash' : 'other', end: offset + 1 };
  }

  /** The next character that is neither space nor in a comment. */
  #nextSign(from: number): number {
    const skip = /(?:[ \t\r\n]|#[^\n]*)*/y;
    skip.lastIndex = from;
    return from + (skip.exec(this.#text)?.[0].length ?? 0);
  }

  #endOfWord(offset: number): number {
    const word = /[^\s,[\]{}]*/y;
    word.lastIndex = offset;
    return offset + (word.exec(this.#text)?.[0].length ?? 1);
  }

  /** Hangs what stands between the last sign and the next one, which begins at `offset`. */
  #hang(offset: number): void {
    const { holder, kind, end } = this.#last;
    const lineStart = this.#text.lastIndexOf('\n', offset - 1) + 1;
    const stop = offset >= this.#text.length ? this.#text.length : lineStart;
    const run = this.#text.slice(end, stop);
    const isBlank = !/#/.test(run) && (run.match(/\n/g) ?? []).length < (kind === 'block' ? 1 : 2);
    if (stop <= end || isBlank) return;
    const line = run.split('\n')[0] ?? '';
    const at = line.indexOf('#');
    if (at >= 0 && kind !== 'other' && holder !== null)
      holder.after = { text: run.slice(at), column: this.#column(end + at) };
    else if (holder !== null && kind === 'plain') holder.after = { text: emptySpaceLines(run), column: 0 };
    else if (holder !== null && (kind === 'quoted' || kind === 'block'))
      holder.after = { text: withoutSpaceLines(run), column: 0 };
    else {
      // Behind a dash, a comment on its line goes above the item.
      const isWhole = kind === 'block' || (kind === 'dash' && at >= 0);
      this.#before.push(...this.#split(isWhole ? run : run.slice(run.indexOf('\n') + 1), stop));
    }
  }

  #column(offset: number): number {
    return offset - (this.#text.lastIndexOf('\n', offset - 1) + 1);
  }

  /** Lines above something: each comment with the empty lines behind it, and those before the first. */
  #split(run: string, stop: number): readonly Comment[] {
    const begin = stop - run.length;
    return [...run.matchAll(/^[ \t]*#[^\n]*(?:\n[ \t]*(?=\n))*\n?|^(?:[ \t]*\n)+/gm)].map(({ 0: text, index }) => {
      const shown = text.trimStart();
      if (shown === '') return { text: '\n'.repeat((text.match(/\n/g) ?? []).length), column: 0 };
      const column = this.#column(begin + index + (text.length - shown.length));
      return { text: shown, column };
    });
  }
}

/** Behind a plain scalar, lines of nothing but spaces are empty ones up to the first comment. */
function emptySpaceLines(run: string): string {
  const comment = run.indexOf('#');
  const lead = comment < 0 ? run.length : run.lastIndexOf('\n', comment) + 1;
  return run.slice(0, lead).replaceAll(/[ \t]+\n/g, '\n') + withoutSpaceLines(run.slice(lead));
}

/** Lines of nothing but spaces are no lines to ruamel.yaml, unless an empty one stands before them. */
function withoutSpaceLines(run: string): string {
  return run.replace(/^[ \t]+(?=\n)/, '').replaceAll(/(?<=[^\n]\n|^\n)[ \t]+\n/g, '');
}
