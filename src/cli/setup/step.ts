import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** How a step ended: its status and the last lines that it said. */
export type StepEnd = { readonly status: number | null; readonly lines: readonly string[] };

const KEPT = 200;

/**
 * Runs a program, and gives each line that it says to a listener. It has the environment of this
 * command, so that the machine's settings of pip and its proxies hold, but not those of Python.
 *
 * @throws Error when it cannot be started
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
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], env: environment });
    const lines: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        if (lines.length > KEPT) lines.shift();
        listener(line);
      });
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, lines }));
  });
}
