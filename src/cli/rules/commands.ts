import { YamlError } from '../../yaml/index.ts';
import { NotOneLocation } from '../../vortex/tools/job-conf.ts';
import { XmlError } from '../../vortex/tools/xml.ts';
import { diff } from './diff.ts';
import { dryRun } from './dry-run.ts';
import { dump } from './dump.ts';
import { formatCommand } from './format.ts';
import { guarded } from '../guarded.ts';
import { lintCommand } from './lint.ts';
import { Unreadable } from '../terminal.ts';
import type { RulesCommand } from '../terminal.ts';
import type { USAGE } from '../usage.ts';
import { whyNotCommand } from './why-not.ts';

/** The commands on rule files: TPV's, with its texts and exit codes, and further ones. */
export const RULES_COMMANDS = {
  lint: onFiles('lint', lintCommand),
  format: onFiles('format', formatCommand),
  dump: onFiles('dump', dump),
  'dry-run': onFiles('dry-run', dryRun),
  'why-not': onFiles('why-not', whyNotCommand),
  diff: onFiles('diff', diff),
} as const;

/** Ends a command with its name and a sentence, not a stack, if a file cannot be read. */
function onFiles(name: keyof typeof USAGE, command: RulesCommand): RulesCommand {
  return guarded(name, async (words, terminal) => {
    try {
      return await command(words, terminal);
    } catch (error) {
      if (
        !(
          error instanceof Unreadable ||
          error instanceof YamlError ||
          error instanceof NotOneLocation ||
          error instanceof XmlError
        )
      )
        throw error;
      terminal.err(`planner ${name}: ${error.message}\n`);
      return 1;
    }
  });
}
