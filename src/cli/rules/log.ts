import type { TranscriptLine } from '../../python/transcript.ts';
import type { Terminal } from '../terminal.ts';

const LEVELS = { ERROR: 40, WARNING: 30, INFO: 20 } as const;

/** A line of TPV's log; `logger` is behind `tpv.`. */
export type Log = (level: keyof typeof LEVELS, logger: string, message: string) => void;

/** The lowest level that is printed, in Python's numbers: errors only, more with every `-v`. */
export function lowestLevel(verbosity: number): number {
  return Math.max(4 - verbosity, 1) * 10;
}

/** TPV's log on standard output. Messages of the shell are printed without `-v`, too. */
export function openRulesLog(terminal: Terminal, verbosity: number): Log {
  return (level, logger, message) => {
    const threshold =
      logger === 'commands.shell' && verbosity === 0 ? LEVELS.INFO : lowestLevel(verbosity);
    if (LEVELS[level] >= threshold) terminal.out(lineOf(level, `tpv.${logger}`, message));
  };
}

/** Prints the output of rules like TPV, whose log goes to standard output. */
export function tellSaid({ out, err }: Terminal, said: readonly TranscriptLine[] = []): void {
  for (const one of said) {
    if (one.kind === 'logged') out(lineOf(one.level, one.logger, one.text));
    else (one.to === 'out' ? out : err)(one.text);
  }
}

function lineOf(level: string, logger: string, message: string): string {
  return `${level.padEnd(5)}: ${logger}: ${message}\n`;
}
