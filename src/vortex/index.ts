/**
 * The TPV engine: rule files and the description of a job in, a decision or the state of every
 * destination out. Pure: no I/O, no clock, no randomness of its own.
 */
export type { FileProblem } from '../yaml/index.ts';
export type * from './decision.ts';
export type * from './job.ts';
export { Admissions } from './decide/admission.ts';
export type { Admission } from './decide/admission.ts';
export { consider, weigh } from './decide/consider.ts';
export { loadRules } from './file/load.ts';
export type { LoadResult } from './file/load.ts';
export type { RuleSource, Rules } from './file/rules.ts';
export { mapText } from './explain/decision-text.ts';
export { map } from './decide/map.ts';
export { parseConsideration, parseDecision } from './decision-parse.ts';
export { parseJob } from './job-parse.ts';
export { ShapeError } from './shape.ts';
export { admissionsOf, summarize } from './explain/summary.ts';
export { renderTrace } from './explain/trace-text.ts';
export type { DestinationSummary, RulesSummary } from './explain/summary.ts';
export type { Surroundings } from './surroundings.ts';
