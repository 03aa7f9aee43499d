import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Sample } from './sample.ts';

/**
 * A fixed number of requests, YAML when they have a body; each connection sends one
 * when it has the answer before.
 */
export type HttpLoad = {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly body?: string;
  /** one request for each, in place of the path of `url` */
  readonly paths?: readonly string[];
  readonly amount: number;
  readonly connections: number;
  /**
   * sent so often, by chance, whether or not answers come, as far as the connections go;
   * undefined: as fast as answers come
   */
  readonly perSecond?: number;
};

/** `failures` counts answers that are not 200, and requests without an answer. */
export type LoadOutcome = { readonly sample: Sample; readonly failures: number };

/** The process that sends HTTP requests. */
export type LoadGenerator = {
  /** @throws Error when any answer is not 200: a bench that measures refusals measures nothing. */
  readonly send: (load: HttpLoad) => Promise<Sample>;
  readonly close: () => void;
};

/** Starts the load generator (autocannon) in a process of its own. */
export function openLoadGenerator(): LoadGenerator {
  const child = fork(fileURLToPath(new URL('processes/load-process.ts', import.meta.url)), [], {
    execArgv: ['--no-warnings'],
  });
  const exited = once(child, 'exit');
  return {
    send: async (load) => {
      child.send(load);
      const [outcome]: [LoadOutcome] = await Promise.race([
        once(child, 'message').then(([message]): [LoadOutcome] => [message]),
        exited.then(([code]) => {
          throw new Error(`the load generator ended with ${code}`);
        }),
      ]);
      const { sample, failures } = outcome;
      if (failures > 0)
        throw new Error(
          `${failures} of ${load.amount} requests to ${load.url} were not answered 200`,
        );
      return sample;
    },
    close: () => void child.kill(),
  };
}
