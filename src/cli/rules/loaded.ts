import { openSandbox } from '../../sandbox/open.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { printProblem } from '../../site/load.ts';
import type { FileProblem, RuleSource } from '../../vortex/index.ts';
import { parseYaml, YamlError } from '../../yaml/index.ts';
import { openRulesLog } from './log.ts';
import type { Log } from './log.ts';
import type { Terminal } from '../terminal.ts';

/**
 * Loads rules in a sandbox and passes it to `use`, then closes it. If they do not load, TPV's log
 * gets the errors at this verbosity.
 * @returns 1 if they do not load
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

/** Prints the errors of rules. @returns 1 */
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

/** Logs like TPV's loader a file that is YAML but not rules; TPV logs nothing for invalid YAML. */
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
