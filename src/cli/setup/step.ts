import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { CannotStart } from '../../words/cannot-start.ts';
import { errorCode } from '../../words/system-error.ts';

/** How a step ended: its status and the last lines that it said. */
export type StepEnd = { readonly status: number | null; readonly lines: readonly string[] };

const KEPT = 200;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs a program, and gives each line that it says to a listener. It has the environment of this
 * command, so that the machine's settings of pip and its proxies hold, but not those of Python.
 *
 * @throws Error when it cannot be started
 * @throws CannotStart when a signal ends this command meanwhile, which ends the program, too
 */
export function runStep(
  program: string,
  words: readonly string[],
  listener: (line: string) => void,
): Promise<StepEnd> {
  return new Promise((resolve, reject) => {
    const environment = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !name.startsWith('PYTHON')),
    );
    // A group of its own: one signal reaches what the program has started, too.
    const child = spawn(program, words, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: environment,
      detached: true,
    });
    let ended: NodeJS.Signals | undefined;
    const handOn = (signal: NodeJS.Signals): void => {
      ended = signal;
      if (child.pid !== undefined) killGroup(child.pid, signal);
    };
    for (const signal of SIGNALS) process.on(signal, handOn);
    const lines: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        if (lines.length > KEPT) lines.shift();
        listener(line);
      });
    child.once('error', reject);
    child.once('close', (status) => {
      for (const signal of SIGNALS) process.off(signal, handOn);
      if (ended === undefined) resolve({ status, lines });
      else reject(new CannotStart(`${ended} ended it; the same command goes on from there`));
    });
  });
}

/** Signals a group of processes that may have ended. */
function killGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}
