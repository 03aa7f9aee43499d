import { openSandbox } from '../../sandbox/open.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { printProblem } from '../../site/load.ts';
import type { FileProblem, RuleSource } from '../../vortex/index.ts';
import { parseYaml, YamlError } from '../../yaml/index.ts';
import { openRulesLog } from './log.ts';
import type { Log } from './log.ts';
import type { Terminal } from '../terminal.ts';

/**
 * Loads rules in a sandbox of their own and hands it to `use`; it is closed behind it. TPV's log is
 * told of what does not load where `verbosity` says how much of it.
 * @returns 1 when they do not load
 */
export async function withRules(
  sources: readonly RuleSource[],
  terminal: Terminal,
  use: (sandbox: Sandbox) => Promise<number>,
  verbosity?: number,
): Promise<number> {
  const sandbox = openSandbox();
  try {
    const report = await sandbox.load(sources);
    switch (report.kind) {
      case 'loaded':
        return await use(sandbox);
      case 'refused':
        return refused(report.problems, sources, terminal, verbosity);
      case 'failed':
        terminal.err(`${report.failure.code}: ${report.failure.message}\n`);
        return 1;
      default:
        return report satisfies never;
    }
  } finally {
    await sandbox.close();
  }
}

/** Tells what is wrong with rules. @returns 1 */
export function refused(
  problems: readonly FileProblem[],
  sources: readonly RuleSource[],
  terminal: Terminal,
  verbosity?: number,
): number {
  if (verbosity !== undefined) logRefusal(openRulesLog(terminal, verbosity), problems, sources);
  terminal.err(`${problems.map(printProblem).join('\n')}\n`);
  return 1;
}

/**
 * What TPV's loader logs of a file that is YAML and no rules; of what is
 * not even that it logs nothing.
 */
export function logRefusal(
  log: Log,
  [first]: readonly FileProblem[],
  sources: readonly RuleSource[],
): void {
  const text = sources.find(({ name }) => name === first?.file)?.text;
  if (first !== undefined && text !== undefined && isYaml(text)) {
    log('ERROR', 'core.loader', `Error loading TPV config: ${first.file}`);
  }
}

function isYaml(text: string): boolean {
  try {
    parseYaml(text);
    return true;
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return false;
  }
}
