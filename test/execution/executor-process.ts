import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '../cli/service-process.ts';

/** An executor in a process of its own, as the service starts it. */
export type ExecutorProcess = {
  /** what it has logged */
  readonly said: () => string;
  /** Waits until it takes jobs. @throws if it ends before */
  readonly ready: () => Promise<void>;
  /** its exit code and signal, once it has ended */
  readonly ended: Promise<unknown>;
  /** Ends it, unless it has ended. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>;
};

const WORKER = fileURLToPath(new URL('../../workers/executor.ts', import.meta.url));

/** @param root its data folder @param more variables of its environment */
export function startExecutor(
  { url }: { readonly url: string },
  root: string,
  more: Readonly<Record<string, string>> = {},
): ExecutorProcess {
  const child = spawn(process.execPath, ['--no-warnings', WORKER], {
    env: {
      ...process.env,
      DATABASE_URL: url,
      DATA_DIR: root,
      JOBS_DIR: join(root, 'jobs'),
      LOG_LEVEL: 'info',
      ...more,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => void (said += part));
  return {
    said: () => said,
    ready: () =>
      until('the executor is ready', () => {
        if (said.includes('executor is ready')) return true;
        if (hasEnded()) throw new Error(`the executor ended before it was ready: ${said}`);
        return undefined;
      }).then(() => undefined),
    ended,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      await ended;
    },
  };
}
