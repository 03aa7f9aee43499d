import { YamlError } from '../yaml/index.ts';
import { NotOneLocation } from '../vortex/job-conf.ts';
import { XmlError } from '../vortex/xml.ts';
import { diff } from './diff.ts';
import { dryRun } from './dry-run.ts';
import { dump } from './dump.ts';
import { format } from './format.ts';
import { lint } from './lint.ts';
import { ownTerminal, Unreadable } from './terminal.ts';
import type { RulesCommand } from './terminal.ts';
import { USAGE } from './usage.ts';
import { whyNot } from './why-not.ts';
import { Misused } from './words.ts';

/** Bad words and files that cannot be read end a command with its name and why, instead of a stack. */
const guarded =
  (name: keyof typeof USAGE, command: RulesCommand): RulesCommand =>
  async (words, terminal) => {
    if (words.includes('--help') || words.includes('-h')) {
      terminal.out(USAGE[name]);
      return 0;
    }
    try {
      return await command(words, terminal);
    } catch (error) {
      if (error instanceof Misused) {
        terminal.err(`planner ${name}: ${error.message}\nplanner ${name} --help tells what it takes\n`);
        return 2;
      }
      if (!(error instanceof Unreadable || error instanceof YamlError || error instanceof NotOneLocation || error instanceof XmlError))
        throw error;
      terminal.err(`planner ${name}: ${error.message}\n`);
      return 1;
    }
  };

/** The commands on rule files: those of TPV, with its texts and exit codes (1.22), and those it lacks. */
export const RULES_COMMANDS = {
  lint: guarded('lint', lint),
  format: guarded('format', format),
  dump: guarded('dump', dump),
  'dry-run': guarded('dry-run', dryRun),
  'why-not': guarded('why-not', whyNot),
  diff: guarded('diff', diff),
} as const;

/** A command of this process's terminal, for the table of `planner`. */
export const onTerminal =
  (command: RulesCommand) =>
  (words: readonly string[]): Promise<number> =>
    command(words, ownTerminal);
