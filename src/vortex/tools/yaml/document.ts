import type { ScalarText } from '../../../yaml/spelling.ts';

/**
 * A YAML document as it is to be written, with the choices that the text of a scalar does not make.
 * Comments stand where ruamel.yaml puts them, since its text is what is to come out.
 */
export type EmittedNode = ScalarOut | SeqOut | MapOut;

/**
 * A comment with the column at which it began (from 0); its text may be several lines
 * and begin with empty ones. That of a `header` stands behind the `|` or `>` of a
 * block, with the spaces before it.
 */
export type Comment = { readonly text: string; readonly column: number; readonly isHeader?: true };

/**
 * `after` stands behind the node on its line, `before` on lines of its own above it. A list of none
 * is not the same as none: ruamel.yaml lays out what has one as if a comment stood there.
 */
export type Comments = {
  readonly after?: Comment | undefined;
  readonly before?: readonly Comment[] | undefined;
};

/** What is written before a node. */
export type NodeMarks = {
  readonly tag?: string | undefined;
  /** `&name`. */
  readonly mark?: string;
};

export type ScalarOut = Comments &
  NodeMarks &
  ScalarText & {
    /** `*name`: this is written, and no text. */
    readonly alias?: string;
  };

export type SeqOut = Comments &
  NodeMarks & {
    readonly kind: 'seq';
    readonly flow: boolean;
    readonly items: readonly EmittedNode[];
    /** Comments behind the last item. */
    readonly end?: readonly Comment[] | undefined;
  };

export type MapOut = Comments &
  NodeMarks & {
    readonly kind: 'map';
    readonly flow: boolean;
    readonly entries: readonly (readonly [ScalarOut, EmittedNode])[];
  };
