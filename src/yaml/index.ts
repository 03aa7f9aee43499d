/** YAML 1.2 with positions, a reader that collects every problem of a file, and a writer. Pure. */
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
export { suggest } from './suggest.ts';
export { emitYaml } from './emit/emit.ts';
export { readLayout } from './emit/layout.ts';
export { idOf } from './emit/loaded.ts';
export type { Loaded, LoadedEntry, LoadedMap, LoadedScalar } from './emit/loaded.ts';
export { represented } from './emit/represent.ts';
export type { EmittedNode, MapOut, ScalarOut, SeqOut } from './emit/document.ts';
export { isPlainString } from './scalar.ts';
