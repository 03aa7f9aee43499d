import type { ScalarText } from './spelling.ts';

/** A place in a file; line and column count from 1. */
export type Position = { readonly line: number; readonly column: number };

/**
 * A value of a YAML document with its place. Integers and floats differ (`8` and `8.0`), dates stay
 * dates, keys keep their order.
 */
export type Node =
  | NullNode
  | BoolNode
  | IntNode
  | FloatNode
  | StringNode
  | DateNode
  | SeqNode
  | MapNode;

export type NullNode = { readonly kind: 'null'; readonly at: Position };
export type BoolNode = { readonly kind: 'bool'; readonly at: Position; readonly value: boolean };
/** A number up to the safe integers, a bigint beyond. */
export type IntNode = {
  readonly kind: 'int';
  readonly at: Position;
  readonly value: number | bigint;
} & Spelling;
export type FloatNode = {
  readonly kind: 'float';
  readonly at: Position;
  readonly value: number;
} & Spelling;
/** The spelling in the file, for `parseYaml` with `keepsSpelling`. */
type Spelling = { readonly spelled?: ScalarText };
/**
 * `text` is the place of the first character of the value: positions inside it count from there.
 */
export type StringNode = {
  readonly kind: 'string';
  readonly at: Position;
  readonly value: string;
  readonly text: Position;
} & Spelling;
/** A YAML timestamp, in the spelling of the file. */
export type DateNode = { readonly kind: 'date'; readonly at: Position; readonly value: string };
export type SeqNode = {
  readonly kind: 'seq';
  readonly at: Position;
  readonly items: readonly Node[];
};
export type MapNode = {
  readonly kind: 'map';
  readonly at: Position;
  readonly entries: readonly MapEntry[];
};
export type MapEntry = { readonly key: Node; readonly value: Node };

/** The name of a node in messages: `the string 'x'`, `a list`. Long strings are cut. */
export function describe(node: Node): string {
  switch (node.kind) {
    case 'null':
      return 'null';
    case 'bool':
      return String(node.value);
    case 'int':
    case 'float':
      return `the number ${node.value}`;
    case 'string':
      return `the string '${node.value.length > 40 ? `${node.value.slice(0, 37)}...` : node.value}'`;
    case 'date':
      return `the date ${node.value}`;
    case 'seq':
      return 'a list';
    case 'map':
      return 'a mapping';
    default:
      return node satisfies never;
  }
}
