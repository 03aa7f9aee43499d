/**
 * The TPV engine: rule files and the description of a job in, a decision or the state of every destination out. Pure:
 * no I/O, no clock, no randomness of its own.
 */
export type { Problem } from '../yaml/index.ts';
export type * from './decision.ts';
export type * from './job.ts';
export { Admissions } from './admission.ts';
export type { Admission } from './admission.ts';
export { consider, weigh } from './consider.ts';
export { loadRules } from './load.ts';
export type { LoadResult, RuleSource, Rules } from './load.ts';
export { mapText } from './decision-text.ts';
export { map } from './map.ts';
export { parseConsideration, parseDecision } from './decision-parse.ts';
export { parseJob } from './job-parse.ts';
export { ShapeError } from './shape.ts';
export { admissionsOf, summarize } from './summary.ts';
export { renderTrace } from './trace-text.ts';
export type { DestinationSummary, RulesSummary } from './summary.ts';
export type { Surroundings } from './surroundings.ts';
