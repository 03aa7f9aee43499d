import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { CHANNEL_AT, readMessages, writeMessage } from './channel.ts';
import type { Enclosing } from './enclosure/enclosing.ts';
import { firstChildOf, isHeld } from './enclosure/held.ts';
import { enclosed, FILTER_AT } from './enclosure/words.ts';
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

/** Tells a child its end of the channel; Node takes it out of the environment. */
const CHANNEL = { NODE_CHANNEL_FD: String(CHANNEL_AT) };

/** A running child process. */
export type Child = {
  /** of the process that decides; undefined while there is none */
  pid(): number | undefined;
  /** Whether the system holds it, as its own files in /proc say. */
  isHeld(): boolean;
  send(message: ToChild): void;
  kill(): void;
};

export type ChildEnd = 'missing' | 'unstarted' | 'killed' | 'ended';

type ChildEvents = {
  readonly onMessage: (message: FromChild) => void;
  /**
   * Called once, when the child has ended for any reason.
   *
   * @param why for people
   * @param end of its program: `missing`, `killed` by SIGKILL, `unstarted` for want of something,
   * or `ended` otherwise
   */
  readonly onExit: (why: string, end: ChildEnd) => void;
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
  const channel = streamAt(child, CHANNEL_AT);
  watch(child, events);
  if (channel !== undefined)
    readMessages(channel, events.onMessage, () => {
      // The child can no longer be trusted. Once its channel ends it could end by itself, unnoticed.
      kill(child, hold);
      channel.destroy();
    });
  const send = (message: ToChild): void => {
    if (channel !== undefined) writeMessage(channel, message);
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
      env: CHANNEL,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    });
  const inside = enclosed([process.execPath, ...words], readable, root);
  const child = spawn(inside.command, inside.words, {
    env: { ...CHANNEL, PATH: within.path },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    // Ctrl-C would end bubblewrap, and with it the child.
    detached: true,
  });
  streamAt(child, FILTER_AT)
    ?.on('error', () => undefined)
    .end(inside.filter);
  child.once('exit', () => setTimeout(letGo, LET_GO_MS, child).unref());
  return child;
}

/** A pipe of a child; undefined where it could not be started for want of file descriptors. */
function streamAt(child: ChildProcess, place: number): Duplex | undefined {
  const [stream] = Array.from(child.stdio ?? []).slice(place);
  return stream instanceof Duplex ? stream : undefined;
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
 * Closes the pipes to what bubblewrap may leave behind when somebody kills it, for which `close`
 * would wait. A child ends with its channel.
 */
function letGo(child: ChildProcess): void {
  for (const stream of child.stdio) stream?.destroy();
}

function watch(child: ChildProcess, { onExit }: ChildEvents): void {
  let errors = '';
  let isGone = false;
  const gone = (why: string, end: ChildEnd): void => {
    if (isGone) return;
    isGone = true;
    onExit(errors.trim() === '' ? why : `${why}: ${errors.trim()}`, end);
  };
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-STDERR_KEPT);
  });
  child.on('error', (error) =>
    gone(
      `the sandbox process could not be started: ${error.message}`,
      isMissing(error) ? 'missing' : 'unstarted',
    ),
  );
  // `close` and not `exit`: the last output on stderr may come after `exit`.
  child.on('close', (code, signal) => {
    const by = signal ?? signalOf(code);
    const end = by === 'SIGKILL' ? 'killed' : 'ended';
    gone(`the sandbox process ended with ${by ?? `code ${code}`}`, end);
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
