import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import { PLANNER_OPTIONS } from '../../src/tree/planners.ts';
import { readProcesses, type Process } from '../../src/runners/process/supervise/processes.ts';
import { signal } from '../../src/runners/process/supervise/signal.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
/** The command `planner`; its arguments follow. */
export const PLANNER = [
  process.execPath,
  ...PLANNER_OPTIONS,
  join(PROJECT, 'src/cli/planner.mjs'),
] as const;

/** Longer than a service takes to start on a machine with twenty busy programs. */
const SLOWEST_MS = 240_000;

/** How a process ended, with all its output. */
export type End = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
};

/**
 * A planner as an operator runs it: a process with an environment, signals, an exit code and two
 * output streams.
 */
export type ServiceProcess = {
  readonly pid: number;
  readonly output: () => string;
  readonly isRunning: () => boolean;
  /**
   * Waits until it has written this text; throws with all its output if it ends before or takes
   * four minutes.
   */
  readonly said: (text: string) => Promise<void>;
  /**
   * Waits for a line of its log with this message; with `after`, behind so many characters.
   * @returns the line as data; throws if the process ends before
   */
  readonly logged: (message: string, after?: number) => Promise<object>;
  /** Waits until it answers. @returns its URL */
  readonly ready: () => Promise<string>;
  readonly ended: Promise<End>;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Sends a signal to every process of the group, as the keyboard does. */
  readonly killGroup: (signal: NodeJS.Signals) => void;
  /** Sends SIGTERM. @returns how it ended */
  readonly stop: () => Promise<End>;
  /** Closes our end of its standard output and error. */
  readonly hangUp: () => void;
};

/**
 * Waits until something is true; the limit only ends failing tests, none of which depends on speed.
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
  /** program and arguments; default: `planner serve` */
  readonly command?: readonly [string, ...string[]];
  readonly uid?: number;
};

/** A folder of a test, and the processes in it. */
export type Ground = {
  readonly folder: string;
  /** Starts a planner with its data in the folder. */
  readonly start: (options?: Options) => ServiceProcess;
  /** Processes of the started planners and of their jobs, whoever their parent is now. */
  readonly processes: () => readonly {
    readonly pid: number;
    readonly parent: number;
    readonly command: string;
  }[];
  /** Removes the folder; fails the test if a process is left. */
  readonly close: () => Promise<void>;
};

/** Makes the folder, which jobs can reach; `uid` is its owner. */
export async function openGround(uid?: number): Promise<Ground> {
  const folder = await mkdtemp(join(tmpdir(), 'planner-cli-'));
  await chmod(folder, 0o755);
  if (uid !== undefined) await chown(folder, uid, uid);
  const started: ServiceProcess[] = [];
  const isOurs = ({ pid, session }: Process): boolean =>
    started.some((one) => one.pid === session) ||
    readProc(pid, 'cmdline').includes(folder) ||
    readProc(pid, 'environ').includes(folder);
  /** Ends all processes. @returns those that were left */
  const clear = (): ReturnType<Ground['processes']> => {
    const left = processes();
    // One of them may end with the one before it.
    for (const { pid } of left) signal(pid, 'SIGKILL');
    return left;
  };
  const processes: Ground['processes'] = () => {
    const all = readProcesses();
    const found = all.filter(isOurs);
    // What a sandbox of the system holds has a session and an environment of its own.
    for (const { pid } of found)
      found.push(...all.filter((one) => one.parent === pid && !found.includes(one)));
    return found.map(({ pid, parent }) => ({ pid, parent, command: readProc(pid, 'cmdline') }));
  };
  return {
    folder,
    processes,
    start: (options = {}) => {
      const one = launch(folder, options);
      started.push(one);
      return one;
    },
    close: async () => {
      // A failed test leaves its service running, which does not count as a leak.
      if (started.some((one) => one.isRunning())) clear();
      // Processes that end with their parent may still be ending.
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
    // The streams close with the last process that has them; the workers of a killed planner take a
    // moment.
    isOver = true;
    return { code: child.exitCode, signal: child.signalCode, output };
  })();
  const logged = (message: string, after = 0): Promise<object> =>
    until(`a process says '${message}'`, () => {
      const line = output
        .slice(after)
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
