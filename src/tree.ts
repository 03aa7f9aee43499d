import { fork, type ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';

/** A worker process that is restarted whenever it ends by itself. */
type WorkerProcess = {
  /** SIGTERM, and SIGKILL after the limit. */
  readonly stop: () => Promise<void>;
};

const FIRST_DELAY_MS = 200;
const LONGEST_DELAY_MS = 10_000;
/** A worker that ran this long has started well, so the restart delay is reset. */
const HEALTHY_MS = 10_000;
const STOP_LIMIT_MS = 15_000;
/** The worker asks for a restart because another site file is in force. */
const IN_ORDER = 'exit 0';

/**
 * Options of Node. By default V8 keeps 168 MiB of heap for an executor that uses 35, because it
 * lets new objects grow that far before it collects; with semi-spaces of 4 MiB it keeps 47
 * (docs/measurements/2026-11-22.md).
 */
export const WORKER_OPTIONS = ['--no-warnings', '--max-semi-space-size=4'] as const;

/** Starts workers/<name>.ts and restarts it, with growing delays while it fails. */
export function keepWorker(
  name: 'executor' | 'sweeper',
  environment: NodeJS.ProcessEnv,
  log: Logger,
): WorkerProcess {
  const file = fileURLToPath(new URL(`../workers/${name}.ts`, import.meta.url));
  const stopping = new AbortController();
  let child: ChildProcess | undefined;

  const once = (): Promise<string> =>
    new Promise((ended) => {
      child = fork(file, [], {
        env: environment,
        execArgv: [...WORKER_OPTIONS],
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      child.once('error', (error) => ended(error.message));
      child.once('exit', (code, signal) => ended(`exit ${code ?? signal}`));
    });

  const keep = async (): Promise<void> => {
    for (
      let delay = FIRST_DELAY_MS;
      !stopping.signal.aborted;
      delay = Math.min(delay * 2, LONGEST_DELAY_MS)
    ) {
      const begun = performance.now();
      const how = await once();
      if (stopping.signal.aborted) return;
      if (performance.now() - begun > HEALTHY_MS) delay = FIRST_DELAY_MS;
      log[how === IN_ORDER ? 'info' : 'error'](
        { worker: name, how, againInMs: delay },
        'a worker ended',
      );
      await sleep(delay, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const kept = keep();

  return {
    stop: async () => {
      stopping.abort();
      child?.kill('SIGTERM');
      const killer = setTimeout(() => child?.kill('SIGKILL'), STOP_LIMIT_MS);
      await kept;
      clearTimeout(killer);
    },
  };
}
