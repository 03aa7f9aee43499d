import { listen } from '../../db/listen.ts';
import type { JobId } from '../../words/ids.ts';

/** Where changes of sessions are heard. */
export type Waiters = {
  /**
   * Resolves at the next change of the job's session, or when `signal` aborts. It may
   * resolve without a change: the caller reads the job again. Call it before reading, so
   * that no change falls between.
   */
  readonly next: (job: JobId, signal: AbortSignal) => Promise<void>;
  /** How many are waiting now. */
  readonly size: () => number;
  /** Aborted once nobody may wait any more: whoever waits answers with what is known now. */
  readonly released: AbortSignal;
  /** Lets everybody go, for good: the service stops. */
  readonly release: () => void;
  /** Lets everybody go and ends the connection. */
  readonly close: () => Promise<void>;
};

export type WaitersOptions = {
  readonly url: string;
  /** Told when the connection was lost; it is made again by itself. */
  readonly onLost: (error: Error) => void;
};

/**
 * One connection per process that listens for changes of sessions
 * (`NOTIFY session, '<id> <STATE>'`). Whenever it is made, the first time or again, everybody is
 * woken: what was said while nobody listened is read, not lost.
 */
export function openWaiters({ url, onLost }: WaitersOptions): Waiters {
  const board = openBoard();
  const released = new AbortController();
  const listener = listen({
    url,
    name: 'planner',
    channel: 'session',
    onLost,
    onMessage: (message) => board.wake(message.split(' ', 1)[0] ?? ''),
    onConnected: board.wakeAll,
  });
  const release = (): void => {
    released.abort();
    board.wakeAll();
  };

  return {
    next: (job, signal) =>
      new Promise((resolve) => {
        if (signal.aborted || released.signal.aborted) return resolve();
        const done = (): void => {
          signal.removeEventListener('abort', done);
          board.remove(job, done);
          resolve();
        };
        board.add(job, done);
        signal.addEventListener('abort', done);
      }),
    size: board.size,
    released: released.signal,
    release,
    close: async () => {
      release();
      await listener.close();
    },
  };
}

/** Callbacks by job; `wake` runs those of one job, `wakeAll` every one. */
function openBoard() {
  const byJob = new Map<string, Set<() => void>>();
  const wake = (job: string): void => {
    const waiting = byJob.get(job);
    byJob.delete(job);
    waiting?.forEach((resolve) => resolve());
  };
  return {
    wake,
    wakeAll: (): void => [...byJob.keys()].forEach(wake),
    size: (): number => [...byJob.values()].reduce((sum, waiting) => sum + waiting.size, 0),
    add: (job: JobId, resolve: () => void): void => {
      byJob.set(job, (byJob.get(job) ?? new Set()).add(resolve));
    },
    remove: (job: JobId, resolve: () => void): void => {
      const waiting = byJob.get(job);
      waiting?.delete(resolve);
      if (waiting?.size === 0) byJob.delete(job);
    },
  };
}
