import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import { readProcesses, type Process } from '../../src/runners/process/supervise/processes.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
/** The command `planner`, to be followed by its words. */
export const PLANNER = [
  process.execPath,
  '--no-warnings',
  join(PROJECT, 'src/cli/planner.mjs'),
] as const;

/** Longer than a whole service takes to start on a machine on which twenty others want to run. */
const SLOWEST_MS = 240_000;

/** How a process ended, with everything that it wrote. */
export type End = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
};

/**
 * A planner as its operator runs it: a process with an environment, signals, an
 * exit code and two output streams.
 */
export type ServiceProcess = {
  readonly pid: number;
  readonly output: () => string;
  readonly isRunning: () => boolean;
  /**
   * Waits until it has written this; throws with all that it wrote when it ends
   * before, or does not in four minutes.
   */
  readonly said: (text: string) => Promise<void>;
  /**
   * Waits for a line of its log with this message.
   * @returns the line as data; throws when the process ends before
   */
  readonly logged: (message: string) => Promise<object>;
  /** Waits until it serves. @returns its URL */
  readonly ready: () => Promise<string>;
  readonly ended: Promise<End>;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** What the keyboard does: every process of the group gets the signal. */
  readonly killGroup: (signal: NodeJS.Signals) => void;
  /** SIGTERM, and how it ended. */
  readonly stop: () => Promise<End>;
  /** Closes our end of its standard output and error. */
  readonly hangUp: () => void;
};

/**
 * Waits for something that becomes true; the limit is for tests that fail,
 * none of them counts on being fast.
 */
export async function until<Value>(
  what: string,
  look: () => Promise<Value | undefined> | Value | undefined,
  limitMs = 300_000,
): Promise<Value> {
  for (let waited = 0; waited < limitMs; waited += 50) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    await delay(50);
  }
  throw new Error(`it never came that ${what}`);
}

export type Options = {
  readonly environment?: Readonly<Record<string, string>>;
  /** program and words; `planner serve` when absent */
  readonly command?: readonly [string, ...string[]];
  readonly uid?: number;
};

/** A folder of a test's own, and every process that works in it. */
export type Ground = {
  readonly folder: string;
  /** Starts a planner with its data in the folder. */
  readonly start: (options?: Options) => ServiceProcess;
  /** Processes of the planners that were started and of their jobs, whoever their parent is now. */
  readonly processes: () => readonly {
    readonly pid: number;
    readonly parent: number;
    readonly command: string;
  }[];
  /** Fails the test when a process is left; the folder goes in any case. */
  readonly close: () => Promise<void>;
};

/** Makes the folder. Whoever runs jobs must be able to reach it: `uid` owns it when given. */
export async function openGround(uid?: number): Promise<Ground> {
  const folder = await mkdtemp(join(tmpdir(), 'planner-cli-'));
  await chmod(folder, 0o755);
  if (uid !== undefined) await chown(folder, uid, uid);
  const started: ServiceProcess[] = [];
  const isOurs = ({ pid, session }: Process): boolean =>
    started.some((one) => one.pid === session) ||
    readProc(pid, 'cmdline').includes(folder) ||
    readProc(pid, 'environ').includes(folder);
  /** Ends all that is there, and says what it was. */
  const clear = (): ReturnType<Ground['processes']> => {
    const left = processes();
    for (const { pid } of left) process.kill(pid, 'SIGKILL');
    return left;
  };
  const processes: Ground['processes'] = () =>
    readProcesses()
      .filter(isOurs)
      .map(({ pid, parent }) => ({ pid, parent, command: readProc(pid, 'cmdline') }));
  return {
    folder,
    processes,
    start: (options = {}) => {
      const one = launch(folder, options);
      started.push(one);
      return one;
    },
    close: async () => {
      // A test that failed in the middle left its service running; that is no leak.
      if (started.some((one) => one.isRunning())) clear();
      // Those that end with their parent may still be at it.
      await until('all processes are gone', () => processes().length === 0 || undefined).catch(
        () => undefined,
      );
      const left = clear();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
      expect(left).toEqual([]);
    },
  };
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

function launch(
  folder: string,
  { environment = {}, command = [...PLANNER, 'serve'], uid }: Options,
): ServiceProcess {
  const [program, ...words] = command;
  const child = spawn(program, words, {
    cwd: PROJECT,
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      HOME: folder,
      DATA_DIR: join(folder, 'data'),
      PORT: '0',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} cannot be started`);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  let isOver = false;
  const ended = (async (): Promise<End> => {
    await once(child, 'exit');
    // The streams close when the last process that has them ends: the workers of a
    // killed planner take a moment.
    isOver = true;
    return { code: child.exitCode, signal: child.signalCode, output };
  })();
  const logged = (message: string): Promise<object> =>
    until(`a process says '${message}'`, () => {
      const line = output
        .split('\n')
        .map(parsed)
        .find((entry) => Object(entry).msg === message);
      if (line === undefined && isOver)
        throw new Error(`it ended before it said '${message}':\n${output}`);
      return line;
    });
  const said = async (text: string): Promise<void> => {
    await until(
      `a process says '${text}'`,
      () => output.includes(text) || isOver || undefined,
      SLOWEST_MS,
    ).catch(() => undefined);
    if (!output.includes(text))
      throw new Error(
        `it ${isOver ? 'ended before it said' : 'does not say'} '${text}':\n${output}`,
      );
  };
  return {
    pid,
    ended,
    logged,
    said,
    output: () => output,
    isRunning: () => !isOver,
    ready: async () => String(Object(await logged('ready')).url),
    kill: (signal) => void child.kill(signal),
    killGroup: (signal) => void process.kill(-pid, signal),
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
    hangUp: () => {
      child.stdout.destroy();
      child.stderr.destroy();
    },
  };
}

function parsed(line: string): object | undefined {
  try {
    return Object(JSON.parse(line));
  } catch {
    return undefined;
  }
}
