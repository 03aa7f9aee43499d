import { openSandbox } from '../sandbox/open.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { printProblem } from '../site/load.ts';
import type { RuleSource } from '../vortex/index.ts';
import type { Terminal } from './terminal.ts';

/**
 * Loads rules in a sandbox of their own and hands it to `use`; it is closed behind it. @returns 1 when they do not
 * load
 */
export const withRules = async (
  sources: readonly RuleSource[],
  { err }: Terminal,
  use: (sandbox: Sandbox) => Promise<number>,
): Promise<number> => {
  const sandbox = openSandbox();
  try {
    const report = await sandbox.load(sources);
    switch (report.kind) {
      case 'loaded':
        return await use(sandbox);
      case 'refused':
        err(`${report.problems.map(printProblem).join('\n')}\n`);
        return 1;
      case 'failed':
        err(`${report.failure.code}: ${report.failure.message}\n`);
        return 1;
      default:
        return report satisfies never;
    }
  } finally {
    await sandbox.close();
  }
};
