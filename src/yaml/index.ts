/** YAML 1.2 with positions, and a reader that collects every problem of a file. Pure. */
export { YamlError } from './error.ts';
export type { FileProblem } from './error.ts';
export type { YamlLimits } from './limits.ts';
export { describe } from './node.ts';
export type {
  BoolNode,
  DateNode,
  FloatNode,
  IntNode,
  MapEntry,
  MapNode,
  Node,
  NullNode,
  Position,
  SeqNode,
  StringNode,
} from './node.ts';
export { parseYaml } from './parse.ts';
export type { ParseOptions } from './parse.ts';
export { entryOf, MOST_PROBLEMS, Reader, valueOf } from './reader.ts';
export type { NumberRange } from './reader.ts';
export { suggest, suggestion } from './suggest.ts';
export { isPlainString } from './scalar.ts';
export type { ScalarText } from './spelling.ts';
