import { ownTerminal, type Terminal } from './terminal.ts';
import { USAGE, type CommandName } from './usage.ts';
import { Misused } from './words.ts';

/** A command; `words` are the arguments behind its name. It returns its exit code. */
export type Command = (words: readonly string[], terminal: Terminal) => Promise<number>;

/** Adds `--help`, which loads nothing, and exit code 2 with an explanation for wrong arguments. */
export function guarded(name: CommandName, command: Command): Command {
  return async (words, terminal = ownTerminal) => {
    if (words.includes('--help') || words.includes('-h')) {
      terminal.out(USAGE[name]);
      return 0;
    }
    try {
      return await command(words, terminal);
    } catch (error) {
      if (!(error instanceof Misused)) throw error;
      terminal.err(
        `planner ${name}: ${error.message}\nplanner ${name} --help lists its arguments\n`,
      );
      return 2;
    }
  };
}
