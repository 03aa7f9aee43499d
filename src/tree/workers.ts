import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { keepProcess, type KeptProcess } from './keep.ts';

/**
 * Options of Node. By default V8 keeps 168 MiB of heap for an executor that uses 35, because it
 * lets new objects grow that far before it collects; with semi-spaces of 4 MiB it keeps 47
 * (docs/measurements/2026-11-22.md).
 */
export const WORKER_OPTIONS = ['--no-warnings', '--max-semi-space-size=4'] as const;

/** Keeps the executor and the sweeper running. */
export function keepWorkers(environment: NodeJS.ProcessEnv, log: Logger): KeptProcess {
  const kept = (['executor', 'sweeper'] as const).map((name) => {
    const file = fileURLToPath(new URL(`../../workers/${name}.ts`, import.meta.url));
    return keepProcess(
      name,
      () =>
        fork(file, [], {
          env: environment,
          execArgv: [...WORKER_OPTIONS],
          stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        }),
      log,
    );
  });
  return { stop: async () => void (await Promise.all(kept.map((one) => one.stop()))) };
}
