/**
 * The package `execution-planner/vortex`: what of the engine other programs may use, and all of it (docs/reference/engine.md).
 * Pure, like everything here: texts and plain data in, plain data out.
 */

// Loading: texts of rule files in, problems with their places or rules out.
export { loadRules } from './load.ts';
export type { LoadResult, RuleSource, Rules } from './load.ts';
export type { Problem } from '../yaml/index.ts';
export { summarize } from './summary.ts';
export type { DestinationSummary, Limits, RulesSummary } from './summary.ts';

// Describing a job.
export type * from './job.ts';
export { parseJob } from './job-parse.ts';
export { ShapeError } from './shape.ts';
export { jobOfOptions } from './dry-run.ts';
export type { DryRunOptions } from './dry-run.ts';

// Deciding.
export { map } from './map.ts';
export { consider } from './consider.ts';
export type { Surroundings } from './surroundings.ts';
export type * from './decision.ts';

// Explaining: the trace is data; these are its texts.
export { renderTrace } from './trace-text.ts';
export { jobDestination, traceYaml } from './dry-run.ts';
export { clauseText, verdictText, whyNot } from './why-not.ts';
export type { WhyNot } from './why-not.ts';
export { move, whereabouts } from './diff.ts';

// Working on rule files.
export { lint } from './lint.ts';
export type { Finding, LintReport } from './lint.ts';
export { formatRules } from './format.ts';
export { mergeFiles } from './load.ts';
export type { Merged } from './load.ts';
export { dumpText, dumpYaml } from './dump.ts';
export { YamlError } from '../yaml/index.ts';
