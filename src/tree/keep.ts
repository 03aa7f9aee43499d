import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

/** A process that is started again whenever it ends by itself. */
export type KeptProcess = {
  /** SIGTERM, and SIGKILL after the limit. */
  readonly stop: () => Promise<void>;
};

const FIRST_DELAY_MS = 200;
const LONGEST_DELAY_MS = 10_000;
/** A process that ran this long has started well, so the restart delay is reset. */
const HEALTHY_MS = 10_000;
const STOP_LIMIT_MS = 15_000;
/** A worker asks for a restart because another site file is in force, an operator for that of one. */
const IN_ORDER = 'exit 0';

/** Starts a process now, and again with growing delays while it fails. */
export function keepProcess(
  name: string,
  start: () => ChildProcess,
  log: Pick<Logger, 'info' | 'error'>,
): KeptProcess {
  const stopping = new AbortController();
  let child: ChildProcess | undefined;

  const once = (): Promise<string> =>
    new Promise((ended) => {
      child = start();
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
