import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Enclosing } from './enclosure/enclosing.ts';
import { firstChildOf, isHeld } from './enclosure/held.ts';
import { enclosed, FILTER_AT } from './enclosure/words.ts';
import { fromChild } from './messages.ts';
import type { FromChild, SandboxLimits, ToChild } from './messages.ts';
import type { ChildProgram } from './program.ts';

/** Heap of the child beside its isolates, MB: the child only moves strings. */
const OWN_HEAP_MB = 64;
/** Characters of the child's last stderr output that a message quotes. */
const STDERR_KEPT = 500;

/**
 * Young generation of that heap, MB: messages leave only garbage. Without this limit it grew by 16
 * MB over some 150,000 decisions; the processor time of a decision is the same with 1, 2, 4 and 8
 * MB.
 */
const OWN_YOUNG_MB = 2;

/**
 * Flags for isolates, each decision of which makes an answer of 2 kB and drops it. By default an
 * isolate of 64 MB has a young generation of 0.4 MB, and nearly every decision collects. CPU of a
 * decision in the isolate, three runs each in turn on a busy machine: 182 to 257 µs with 4 to 8 MB,
 * 155 to 198 with 8 to 16, 174 to 197 with 16 to 32. With 8 to 16 it grew to 16 page by page, over
 * hundreds of thousands of decisions. The memory limit of an isolate counts surviving objects only.
 */
export const YOUNG_GENERATION = ['--min-semi-space-size=16', '--max-semi-space-size=16'] as const;

/** Between two looks whether bubblewrap has started a process, and after its own end, ms. */
const TURN_MS = 20;
const LET_GO_MS = 200;

/** A running child process. */
export type Child = {
  /** of the process that decides; undefined while there is none */
  pid(): number | undefined;
  /** Whether the system holds it, as its own files in /proc say. */
  isHeld(): boolean;
  send(message: ToChild): void;
  kill(): void;
};

type ChildEvents = {
  readonly onMessage: (message: FromChild) => void;
  /**
   * Called once, when the child has ended for any reason.
   *
   * @param why for people
   * @param isByItself its program is missing, or ended with a code and not by a signal
   */
  readonly onExit: (why: string, isByItself: boolean) => void;
};

/** What holds a child besides Node's permission model. */
export type Hold = {
  /** The enclosure of the system; undefined: none. */
  readonly within: Enclosing | undefined;
  /** Whether V8 may compile: code that runs is then made while it runs. */
  readonly hasJit: boolean;
};

/**
 * Starts a sandbox child: empty environment, no working standard streams, permission model on. The
 * permission model is the third fence, after the language and the isolate; loading an addon can
 * void it. The fourth is the enclosure.
 */
export function startChild(
  program: ChildProgram,
  hold: Hold,
  limits: SandboxLimits,
  restore: string | null,
  events: ChildEvents,
): Child {
  const child = spawned(program.main, hold);
  watch(child, hold, events);
  const send = (message: ToChild): void => {
    // A child that has just died takes no messages; its exit event reports that.
    if (child.connected) child.send(message, () => undefined);
  };
  send({ kind: 'start', modules: program.modules, limits, flags: YOUNG_GENERATION, restore });
  const pid = (): number | undefined =>
    hold.within === undefined ? child.pid : firstChildOf(firstChildOf(child.pid));
  return {
    pid,
    isHeld: () => {
      const inside = pid();
      return inside !== undefined && isHeld(inside);
    },
    send,
    kill: () => kill(child, hold),
  };
}

function spawned(main: string, { within, hasJit }: Hold): ChildProcess {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const readable = [
    `${root}node_modules/isolated-vm/`,
    `${root}node_modules/node-gyp-build/`,
    `${root}package.json`,
    // node-gyp-build reads this file to tell musl from glibc.
    '/etc/alpine-release',
  ];
  const flags = [
    '--no-node-snapshot',
    ...(hasJit ? [] : ['--jitless']),
    '--permission',
    '--allow-addons',
    ...readable.map((path) => `--allow-fs-read=${path}`),
    `--max-old-space-size=${OWN_HEAP_MB}`,
    `--min-semi-space-size=${OWN_YOUNG_MB}`,
    `--max-semi-space-size=${OWN_YOUNG_MB}`,
    '--no-warnings',
  ];
  const words = [...flags, '--input-type=module', '--eval', main];
  if (within === undefined)
    return spawn(process.execPath, words, {
      cwd: root,
      env: {},
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
  const inside = enclosed([process.execPath, ...words], readable, root);
  const child = spawn(inside.command, inside.words, {
    env: { PATH: within.path },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc', 'pipe'],
    // Ctrl-C would end bubblewrap, and with it the child.
    detached: true,
  });
  // Without a free file descriptor there are no streams; the `error` event tells.
  const [filter] = Array.from(child.stdio ?? []).slice(FILTER_AT);
  if (filter instanceof Writable) filter.on('error', () => undefined).end(inside.filter);
  child.once('exit', () => setTimeout(letGo, LET_GO_MS, child).unref());
  return child;
}

/**
 * Ends a child. In an enclosure that is the first process in there, which takes all others with it
 * and is waited for outside: when `onExit` is called, nothing of them is left. While there is none,
 * bubblewrap has just begun and could leave what it starts behind: it has some time for that.
 */
function kill(child: ChildProcess, hold: Hold, turns = 50): void {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const first = hold.within && firstChildOf(child.pid);
  if (hold.within !== undefined && first === undefined && turns > 0) {
    setTimeout(kill, TURN_MS, child, hold, turns - 1).unref();
    return;
  }
  try {
    if (first === undefined) child.kill('SIGKILL');
    else process.kill(first, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}

/**
 * Lets go of what bubblewrap leaves behind when somebody kills it: such a process ends when its
 * channel does.
 */
function letGo(child: ChildProcess): void {
  if (child.connected) child.disconnect();
  for (const stream of child.stdio) stream?.destroy();
}

function watch(child: ChildProcess, hold: Hold, { onMessage, onExit }: ChildEvents): void {
  let errors = '';
  let isGone = false;
  const gone = (why: string, isByItself: boolean): void => {
    if (isGone) return;
    isGone = true;
    onExit(errors.trim() === '' ? why : `${why}: ${errors.trim()}`, isByItself);
  };
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-STDERR_KEPT);
  });
  child.on('message', (message: unknown) => {
    try {
      onMessage(fromChild(message, 'message'));
    } catch {
      // An unknown message: the child can no longer be trusted.
      kill(child, hold);
    }
  });
  child.on('error', (error) =>
    gone(`the sandbox process could not be started: ${error.message}`, isMissing(error)),
  );
  // `close` and not `exit`: the last output on stderr may come after `exit`.
  child.on('close', (code, signal) => {
    const end = signal ?? signalOf(code);
    gone(`the sandbox process ended with ${end ?? `code ${code}`}`, end === undefined);
  });
}

/** A program that is not there, or may not be run; anything else may pass. */
function isMissing(error: Error): boolean {
  return 'code' in error && (error.code === 'ENOENT' || error.code === 'EACCES');
}

/** The signal that ended a process, as bubblewrap tells it. */
function signalOf(code: number | null): string | undefined {
  const found = Object.entries(constants.signals).find(([, number]) => 128 + number === code);
  return found?.[0];
}
