/**
 * The Python of rule files, without CPython: text -> tree -> JavaScript -> function. It knows
 * nothing of TPV, imports nothing, and loads inside a bare V8 isolate.
 */
export { compile } from './program.ts';
export type { SnippetGrammar, Program, Scope } from './program.ts';
export { itemAssignment } from './assignment.ts';
export type { ItemAssignment } from './assignment.ts';
export { PySyntaxError } from './syntax/error.ts';
export { PyError, raise } from './errors.ts';
export { FuelExhausted, Fuel, tick } from './meter.ts';
export type { Modules, RunOptions } from './frame.ts';
export { Transcript } from './transcript.ts';
export type { TranscriptLine } from './transcript.ts';

export * from './objects/index.ts';
export { repr, str } from './text/repr.ts';
export { compare, equals, gt, lt, truthy } from './objects/compare.ts';
export { call, findAttribute, getAttribute, items, setAttribute } from './objects/protocol.ts';
export * from './modules/index.ts';

export { builtinNames } from './builtins/table.ts';
export { namePlaces } from './name-places.ts';
export { moduleUses } from './module-uses.ts';
export type { ModuleUse } from './module-uses.ts';
