import type { ScalarText } from '../../../yaml/spelling.ts';

/**
 * A YAML document to write, with the choices that the text of a scalar leaves open. Comments stand
 * where ruamel.yaml puts them, so that the result is its text.
 */
export type EmittedNode = ScalarOut | SeqOut | MapOut;

/**
 * A comment and the column of its beginning (from 0). Its text may have several lines and begin
 * with empty ones. The text of a `header` stands behind the `|` or `>` of a block, with the spaces
 * before it.
 */
export type Comment = { readonly text: string; readonly column: number; readonly isHeader?: true };

/**
 * `after` stands behind the node on its line, `before` on lines of its own above it. An empty list
 * differs from none: ruamel.yaml lays the node out as if a comment stood there.
 */
export type Comments = {
  readonly after?: Comment | undefined;
  readonly before?: readonly Comment[] | undefined;
};

/** What is written before a node. */
type NodeMarks = {
  readonly tag?: string | undefined;
  /** `&name`. */
  readonly mark?: string;
};

export type ScalarOut = Comments &
  NodeMarks &
  ScalarText & {
    /** The name to write as `*name`, instead of text. */
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
