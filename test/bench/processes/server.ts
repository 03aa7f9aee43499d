import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { PLANNER_OPTIONS } from '../../../src/tree/planners.ts';

/** A server of the bench in its own process. */
export type BenchServer = {
  readonly url: string;
  readonly pid: number;
  readonly stop: () => Promise<void>;
};

/**
 * Starts <name>.ts and waits for its URL. Its stdout goes to /dev/null: the measurement includes
 * writing the log, but not storing it.
 */
export async function startServer(
  name: 'planner-process' | 'express-process',
  environment: Readonly<Record<string, string>>,
  nodeOptions: readonly string[] = [],
): Promise<BenchServer> {
  const child = fork(fileURLToPath(new URL(`${name}.ts`, import.meta.url)), [], {
    env: { PATH: process.env['PATH'], ...environment },
    execArgv: [...PLANNER_OPTIONS, ...nodeOptions],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const [message] = await Promise.race([
    once(child, 'message'),
    exited.then(([code]) => {
      throw new Error(`${name} ended with ${code}`);
    }),
  ]);
  const { url } = Object(message);
  if (typeof url !== 'string' || child.pid === undefined)
    throw new Error(`${name} did not tell its URL`);
  return {
    url,
    pid: child.pid,
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
