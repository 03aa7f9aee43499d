import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Sample } from './sample.ts';

/**
 * A fixed number of requests, in YAML unless `type` says another; each connection sends one
 * when it has the answer before.
 */
export type HttpLoad = {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly body?: string;
  /** puts an id of its own in place of `[<id>]` in the body of each request */
  readonly isEachDifferent?: boolean;
  /** media type of the body and of the answers */
  readonly type?: string;
  /** of every answer; 200 unless it says another */
  readonly status?: number;
  /** one request for each, instead of the path of `url` */
  readonly paths?: readonly string[];
  readonly amount: number;
  readonly connections: number;
  /**
   * random sends at this rate, whether or not answers come, as far as the connections allow;
   * undefined: the next after each answer
   */
  readonly perSecond?: number;
};

/** `failures`: answers of another status, and requests without an answer. */
export type LoadOutcome = { readonly sample: Sample; readonly failures: number };

/** The process that sends HTTP requests. */
export type LoadGenerator = {
  /** @throws Error if an answer has another status, since refusals would spoil the measurement */
  readonly send: (load: HttpLoad) => Promise<Sample>;
  readonly close: () => void;
};

/** Starts the load generator (autocannon) in its own process. */
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
          `${failures} of ${load.amount} requests to ${load.url} were not answered ${load.status ?? 200}`,
        );
      return sample;
    },
    close: () => void child.kill(),
  };
}
