import type { Terminal } from './terminal.ts';

const LEVELS = { ERROR: 40, WARNING: 30, INFO: 20 } as const;

/** A line of TPV's log (1.22). */
export type Log = (level: keyof typeof LEVELS, module: 'linter' | 'shell', message: string) => void;

/**
 * TPV's log on standard output: errors only, more with every `-v`. What the shell itself says is told without `-v` too.
 */
export const openLog =
  (terminal: Terminal, verbosity: number): Log =>
  (level, module, message) => {
    const lowest = Math.max(4 - verbosity, 1) * 10;
    const threshold = module === 'shell' && verbosity === 0 ? LEVELS.INFO : lowest;
    if (LEVELS[level] >= threshold) terminal.out(`${level.padEnd(5)}: tpv.commands.${module}: ${message}\n`);
  };
