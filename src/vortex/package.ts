/**
 * The package `execution-planner/vortex`: what of the engine other programs may use, and all of it
 * (docs/reference/engine.md). Pure, like everything here: texts and plain data in, plain data out.
 */

// Loading: texts of rule files in, problems with their places or rules out.
export { loadRules, summarize } from './index.ts';
export type { DestinationSummary, LoadResult, Rules, RuleSource, RulesSummary } from './index.ts';
export type { RuleLimits as Limits } from './explain/summary.ts';
export type { FileProblem as Problem } from '../yaml/index.ts';

// Describing a job.
export type * from './job.ts';
export { parseJob, ShapeError } from './index.ts';
export { jobOfOptions } from './tools/dry-run.ts';
export type { DryRunOptions } from './tools/dry-run.ts';

// Deciding.
export { consider, map } from './index.ts';
export type { Surroundings } from './index.ts';
export type * from './decision.ts';

// Explaining: the trace is data; these are its texts.
export { renderTrace } from './index.ts';
export { jobDestination, traceYaml } from './tools/dry-run.ts';
export { clauseText, verdictText, whyNot } from './explain/why-not.ts';
export type { WhyNot } from './explain/why-not.ts';
export { move, whereabouts } from './tools/diff.ts';

// Working on rule files.
export { lint } from './tools/lint.ts';
export type { Finding, LintReport } from './tools/lint.ts';
export { formatRules } from './tools/format.ts';
export { mergeFiles } from './file/merge-files.ts';
export type { Merged } from './file/merge-files.ts';
export { dumpText, dumpYaml } from './tools/dump.ts';
export { YamlError } from '../yaml/index.ts';
