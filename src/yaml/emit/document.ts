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

/** What is written before a node, and which node it is where the document has it more than once. */
export type Named = {
  /** The name that the file gives it. */
  readonly anchor?: string | undefined;
  /** Of an alias: the node that it stands for. */
  readonly identity?: object | undefined;
  readonly tag?: string | undefined;
  /** `&name`, once it is known that it is to be written. */
  readonly mark?: string;
};

export type ScalarOut = Comments & Named & {
  readonly kind: 'scalar';
  readonly text: string;
  readonly style: Style;
  /** Whether the plain text is read back as what it is: `8` as the number, not for the string '8'. */
  readonly isPlain: boolean;
  /** The lines of a folded text as they are written, without indentation; `text` is what they mean. */
  readonly lines?: readonly string[];
  /** `*name`: this is written, and no text. */
  readonly alias?: string;
};

export type SeqOut = Comments & Named & {
  readonly kind: 'seq';
  readonly flow: boolean;
  readonly items: readonly Document[];
  readonly end?: readonly Comment[] | undefined;
};

export type MapOut = Comments & Named & {
  readonly kind: 'map';
  readonly flow: boolean;
  readonly entries: readonly (readonly [ScalarOut, Document])[];
  readonly end?: readonly Comment[] | undefined;
};
