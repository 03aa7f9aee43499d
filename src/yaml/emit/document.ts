/**
 * A YAML document as it is to be written, with the choices that the text of a scalar does not make. Comments stand
 * where ruamel.yaml puts them, since its text is what is to come out.
 */
export type Document = ScalarOut | SeqOut | MapOut;

/** A comment with the column at which it began (from 0); its text may be several lines and begin with empty ones. */
export type Comment = { readonly text: string; readonly column: number };

/** `after` stands behind the node on its line, `before` on lines of its own above it. */
export type Comments = { readonly after?: Comment | undefined; readonly before?: readonly Comment[] | undefined };

/** How a scalar is written; `any` is the simplest style that its text allows. */
export type Style = 'any' | 'literal' | 'folded';

export type ScalarOut = Comments & {
  readonly kind: 'scalar';
  readonly text: string;
  readonly style: Style;
  /** Whether the plain text is read back as what it is: `8` as the number, not for the string '8'. */
  readonly isPlain: boolean;
  /** The lines of a folded text as they are written, without indentation; `text` is what they mean. */
  readonly lines?: readonly string[];
};

export type SeqOut = Comments & {
  readonly kind: 'seq';
  readonly flow: boolean;
  readonly items: readonly Document[];
  readonly tag?: string;
  readonly end?: readonly Comment[] | undefined;
};

export type MapOut = Comments & {
  readonly kind: 'map';
  readonly flow: boolean;
  readonly entries: readonly (readonly [ScalarOut, Document])[];
  readonly tag?: string;
  readonly end?: readonly Comment[] | undefined;
};
