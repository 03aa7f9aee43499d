import { ownTerminal, type Terminal } from './terminal.ts';
import { USAGE, type CommandName } from './usage.ts';
import { Misused } from './words.ts';

/** A command; `words` are those behind its name, and it returns its exit code. */
export type Command = (words: readonly string[], terminal: Terminal) => Promise<number>;

/**
 * `--help` before anything is loaded or read, and words that it does not take end a
 * command with its name, why, and 2.
 */
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
        `planner ${name}: ${error.message}\nplanner ${name} --help tells what it takes\n`,
      );
      return 2;
    }
  };
}
