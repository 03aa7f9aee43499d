import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { YOUNG_GENERATION } from '../../../src/sandbox/child.ts';
import { javascript, programOf } from '../../../src/sandbox/program.ts';
import type { GuestModule } from '../../../src/sandbox/program.ts';

/**
 * The task of the process with the isolate: load, then map every job in every round, with JSON in
 * and out.
 */
export type IsolateTask = {
  readonly modules: readonly GuestModule[];
  readonly request: string;
  readonly about: string;
  readonly jobs: readonly string[];
  readonly warmUps: number;
  readonly rounds: number;
  readonly memoryMb: number;
};

/** Times in ms, without the warm-up rounds. */
export type IsolateTimes = {
  readonly loadMs: number;
  /** Processor time of all `times`, including compilation and garbage collection. */
  readonly cpuMs: number;
  readonly times: readonly number[];
  /** Answers of the last round. */
  readonly answers: readonly string[];
  readonly heapMb: number;
};

export const GUEST = 'test/bench/vortex/guest.ts';
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Runs a task in a new process with the young generation of the sandbox's child: synchronous calls
 * into one isolate.
 */
export async function inIsolate(
  task: Omit<IsolateTask, 'modules'>,
  jitless: boolean,
): Promise<IsolateTimes> {
  const code = javascript('test/bench/vortex/isolate-process.ts');
  const flags = [
    '--no-node-snapshot',
    '--no-warnings',
    ...YOUNG_GENERATION,
    ...(jitless ? ['--jitless'] : []),
  ];
  const child = spawn(process.execPath, [...flags, '--input-type=module', '--eval', code], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  child.send({ ...task, modules: programOf(GUEST).modules });
  const [answer] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => [code]),
  ]);
  if (typeof answer !== 'object' || answer === null)
    throw new Error(`the isolate's process ended with ${answer}`);
  return answer;
}
