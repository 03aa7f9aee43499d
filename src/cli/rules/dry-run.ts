import { randomInt } from 'node:crypto';
import { jobDestination, jobOfOptions, traceYaml } from '../../vortex/tools/dry-run.ts';
import { renderTrace } from '../../vortex/index.ts';
import type { Decision } from '../../vortex/index.ts';
import { readRulesOfJobConf } from './job-conf.ts';
import { withRules } from './loaded.ts';
import { lowestLevel, openRulesLog, tellSaid } from './log.ts';
import { readSources } from '../terminal.ts';
import type { RulesCommand } from '../terminal.ts';
import { pythonList } from '../../vortex/entity/tags.ts';
import { Misused, readWords } from '../words.ts';

const OPTIONS = {
  'job-conf': { type: 'string' },
  tool: { type: 'string', default: '_default_' },
  user: { type: 'string' },
  roles: { type: 'string', multiple: true },
  'history-tags': { type: 'string', multiple: true },
  'input-size': { type: 'string' },
  'job-state': { type: 'string', default: 'new' },
  explain: { type: 'boolean' },
  strict: { type: 'boolean' },
  'output-format': { type: 'string', default: 'text' },
} as const;

/** The options that describe a job, shared by several commands. */
export const JOB_OPTIONS = {
  tool: OPTIONS.tool,
  user: OPTIONS.user,
  roles: OPTIONS.roles,
  'history-tags': OPTIONS['history-tags'],
  'input-size': OPTIONS['input-size'],
  'job-state': OPTIONS['job-state'],
} as const;
export const JOB_LISTS = ['--roles', '--history-tags'] as const;

/** The job that the options describe. @throws Misused */
export function jobOf(values: {
  readonly tool: string;
  readonly user?: string;
  readonly roles?: readonly string[];
  readonly 'history-tags'?: readonly string[];
  readonly 'input-size'?: string;
  readonly 'job-state': string;
}) {
  const size = values['input-size'];
  // The form of whole numbers in Python.
  if (size !== undefined && !/^\s*\+?\d+(?:_\d+)*\s*$/.test(size))
    throw new Misused(`--input-size must be a whole number of GB, not '${size}'`);
  return jobOfOptions({
    tool: values.tool,
    user: values.user ?? null,
    roles: values.roles ?? [],
    historyTags: values['history-tags'] ?? [],
    inputSize: size === undefined ? null : Number(size.replaceAll('_', '')),
    jobState: values['job-state'],
  });
}

/**
 * `planner dry-run [OPTION...] [FILE...]`: prints where a job would go. Galaxy's JobDestination
 * goes to standard output and the trace to standard error; as JSON, the trace is data. Without
 * files, the command reads those of the job configuration.
 * @returns 1 if the job goes nowhere; with --explain 0, since the trace tells it
 */
export const dryRun: RulesCommand = async (words, terminal) => {
  const { values, files, verbosity } = readWords(words, OPTIONS, JOB_LISTS);
  const format = values['output-format'];
  if (format !== 'text' && format !== 'yaml' && format !== 'json')
    throw new Misused(`--output-format must be text, yaml or json, not '${format}'`);
  const jobConf = values['job-conf'];
  if (files.length === 0 && jobConf === undefined)
    throw new Misused('give rule files, or a job configuration with --job-conf');
  if (values.tool === '') throw new Misused('--tool must be the id of a tool');
  const job = jobOf(values);
  const sources =
    files.length > 0 || jobConf === undefined
      ? await readSources(terminal, files)
      : await readRulesOfJobConf(terminal, jobConf);
  const names = sources.map(({ name }) => name);
  openRulesLog(terminal, verbosity)(
    'INFO',
    'rules.gateway',
    `loading tpv rules from: ${pythonList(names)}`,
  );
  return withRules(
    sources,
    terminal,
    async (sandbox) => {
      const decision = await sandbox.map(job, {
        seed: randomInt(2 ** 32),
        now: Date.now(),
        strict: values.strict === true,
        logged: lowestLevel(verbosity),
      });
      if (decision.kind === 'sandbox') {
        terminal.err(`${decision.code}: ${decision.message}\n`);
        return 1;
      }
      tellSaid(terminal, decision.said);
      if (values.explain === true) terminal.err(traceIn(format, decision.trace, names));
      if (decision.kind === 'destination')
        terminal.out(jobDestination(decision.chosen, decision.trace));
      else if (values.explain !== true) terminal.err(`${textOf(decision)}\n`);
      return decision.kind === 'destination' || values.explain === true ? 0 : 1;
    },
    verbosity,
  );
};

function traceIn(
  format: 'text' | 'yaml' | 'json',
  trace: Decision['trace'],
  sources: readonly string[],
): string {
  switch (format) {
    case 'text':
      return renderTrace(trace, sources);
    case 'yaml':
      return traceYaml(trace, sources);
    case 'json':
      return `${JSON.stringify({ sources, trace }, null, 2)}\n`;
    default:
      return format satisfies never;
  }
}

function textOf(decision: Exclude<Decision, { kind: 'destination' }>): string {
  switch (decision.kind) {
    case 'fail':
      return `JobMappingException: ${decision.message}`;
    case 'wait':
      return `JobNotReadyException: ${decision.message ?? 'not ready, try later'}`;
    case 'error':
      return `${decision.place === null ? '' : `${decision.place}: `}${decision.className}: ${decision.message}`;
    default:
      return decision satisfies never;
  }
}
