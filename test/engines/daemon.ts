import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** A server program of a test. */
export type Daemon = { readonly child: ChildProcess; readonly stop: () => Promise<void> };

/** Runs a command to its end. @throws Error with its output if it fails */
export function command(
  program: string,
  words: readonly string[],
  options: { readonly env?: NodeJS.ProcessEnv; readonly input?: Buffer } = {},
): string {
  const { status, stdout, stderr, error } = spawnSync(program, words, {
    timeout: 500_000,
    maxBuffer: 2 ** 30,
    ...options,
    env: { ...process.env, ...options.env },
  });
  if (status === 0) return stdout.toString('utf8');
  throw new Error(`${program} ${words.join(' ')}: ${error?.message ?? stderr.toString('utf8')}`);
}

/**
 * Starts a program and waits until it is ready.
 *
 * @param log file for its output, which is reported if it does not become ready
 */
export async function daemon(
  program: string,
  words: readonly string[],
  {
    log,
    env = {},
    ready,
  }: {
    readonly log: string;
    readonly env?: NodeJS.ProcessEnv;
    readonly ready: () => Promise<boolean>;
  },
): Promise<Daemon> {
  const output = openSync(log, 'a');
  const child = spawn(program, words, {
    stdio: ['ignore', output, output],
    // Podman's monitor of a container writes a file "oom" here after a memory kill.
    cwd: dirname(log),
    env: { ...process.env, ...env },
  });
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve()).once('error', () => resolve());
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), 60_000);
    await gone;
    clearTimeout(timer);
  };
  for (const end = performance.now() + 300_000; performance.now() < end; await delay(50)) {
    if (await ready().catch(() => false)) return { child, stop };
    if (child.exitCode !== null) break;
  }
  await stop();
  throw new Error(`${program} did not become ready: ${readFileSync(log, 'utf8').slice(-2000)}`);
}
