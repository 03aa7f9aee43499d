/** A mapping or a list around a place of a text; columns count from 0. */
export type Around =
  | { readonly kind: 'list'; readonly column: number }
  | {
      readonly kind: 'map';
      readonly column: number;
      readonly keys: Set<string>;
      /** the key that was read last; empty: none yet */
      key: string;
    };

/** Where somebody types. */
export type Place = {
  /** keys from the document to the place; an item of a list is `[]` */
  readonly path: readonly string[];
  /** what can be here; in a block that begins, a key or a value */
  readonly kind: 'key' | 'value' | 'any';
  /** keys of the mapping, also those below the place */
  readonly taken: ReadonlySet<string>;
  /** the word at the place, from its first character to behind its last one */
  readonly from: number;
  readonly to: number;
  /** the column of a block; undefined: between braces or brackets */
  readonly column: number | undefined;
};

/** A text while it is read, and what was found in it. */
export type Scan = {
  readonly text: string;
  readonly cursor: number;
  readonly around: Around[];
  place: Place | undefined;
  hasComments: boolean;
};

export function newMap(column: number): Extract<Around, { kind: 'map' }> {
  return { kind: 'map', column, keys: new Set(), key: '' };
}

/** The path of what is within all of these. */
export function pathOf(around: readonly Around[]): readonly string[] {
  return around.map((one) => (one.kind === 'list' ? '[]' : one.key));
}

/** The column that lines of a part must exceed. */
export function innerColumn(around: readonly Around[]): number {
  return around.at(-1)?.column ?? -1;
}

/** Is this what separates words, or an end? */
export function isGap(char: string | undefined): boolean {
  return char === undefined || char === ' ' || char === '\n' || char === '\t';
}

/** The first place from here on that is no space. */
export function afterSpaces(text: string, at: number): number {
  let next = at;
  while (text[next] === ' ') next += 1;
  return next;
}

/** The end of a line. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

/** Behind a text in quotes that begins here; one that does not end is as long as its line. */
export function quoteEnd(text: string, at: number): number {
  const quoted = text[at] === '"' ? /"(?:[^"\\\n]|\\.)*"?/y : /'(?:[^'\n]|'')*'?/y;
  quoted.lastIndex = at;
  return at + (quoted.exec(text)?.[0].length ?? 1);
}

/** A word without its quotes, of which the second may be missing. */
export function unquoted(word: string): string {
  return word.trim().replace(/^(["'])(.*?)\1?$/s, '$2');
}
