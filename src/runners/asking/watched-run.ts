import { spawn } from 'node:child_process';
import type { NonEmpty } from '../../words/ids.ts';

/** How long a program may take, and how many bytes of it count. */
export type WatchedBounds = {
  readonly ms: number;
  /** of its standard output; more ends it */
  readonly bytes: number;
  /** of its standard error, the last ones */
  readonly said: number;
  /** ends it; absent: nothing does */
  readonly stop?: AbortSignal | undefined;
};

/** How a program ended. */
export type WatchedEnd = {
  readonly status: number | NodeJS.Signals | null;
  /** why we ended it; undefined: it ended itself */
  readonly why: string | undefined;
  readonly printed: string;
  readonly said: string;
};

/** What ends a program before its time. */
export type EarlyEnd = {
  readonly everyMs: number;
  /** why it must end; undefined: it need not */
  readonly look: () => Promise<string | undefined>;
};

/**
 * Runs a program in a session of its own, and kills it with its children when it takes too long,
 * prints too much, or its watch says so.
 *
 * @throws Error when it cannot be started
 */
export function watchedRun(
  [program, ...words]: NonEmpty<string>,
  environment: Readonly<Record<string, string>>,
  { ms, bytes, said: longest, stop }: WatchedBounds,
  watch?: EarlyEnd,
): Promise<WatchedEnd> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, {
      cwd: '/',
      env: environment,
      // A session of its own, so that its children die with it.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const printed: Buffer[] = [];
    let [size, said] = [0, ''];
    let why: string | undefined;
    const end = (reason: string): void => {
      why ??= reason;
      child.stdout.destroy();
      child.stderr.destroy();
      kill(child.pid);
    };
    const timer = setTimeout(() => end(`no answer within ${ms / 1000} s`), ms);
    const stopped = (): void => end('it was stopped');
    stop?.addEventListener('abort', stopped);
    const looking =
      watch &&
      setInterval(() => {
        void watch.look().then((reason) => {
          if (reason !== undefined) end(reason);
        });
      }, watch.everyMs);
    const done = (): void => {
      clearTimeout(timer);
      clearInterval(looking);
      stop?.removeEventListener('abort', stopped);
    };
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > bytes) end('it prints too much');
      else printed.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      said = `${said}${chunk.toString('utf8')}`.slice(-longest);
    });
    child.once('error', (error) => {
      done();
      reject(new Error(`it cannot be started: ${error.message}`));
    });
    child.once('close', (status, signal) => {
      done();
      kill(child.pid);
      resolve({
        status: signal ?? status,
        why,
        printed: Buffer.concat(printed).toString('utf8'),
        said,
      });
    });
    if (stop?.aborted === true) stopped();
  });
}

function kill(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of them have ended.
  }
}
