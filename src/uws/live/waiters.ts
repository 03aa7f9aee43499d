import { DRAINS_CHANGED, listen } from '../../db/listen.ts';
import type { JobId } from '../../words/ids.ts';

/** Tells its callers about changes of sessions. */
export type Waiters = {
  /**
   * Resolves at the next change of the job's session, or when `signal` aborts. It may also resolve
   * without a change, so the caller reads the job again. Call it before reading, so that no change
   * is missed in between.
   */
  readonly next: (job: JobId, signal: AbortSignal) => Promise<void>;
  /** Tells a listener of every change, from now on. */
  readonly hear: (listener: ChangeListener) => void;
  /** How many callers wait now. */
  readonly size: () => number;
  /** Aborts when the service stops: callers then answer with what they know. */
  readonly released: AbortSignal;
  /** Releases all callers for good, because the service stops. */
  readonly release: () => void;
  /** Releases all callers and closes the connection. */
  readonly close: () => Promise<void>;
};

/** Hears of every change of a session that has or had a job. */
export type ChangeListener = {
  readonly onChange: (session: string) => void;
  /** after a connect: changes before it may have been missed */
  readonly onConnected: () => void;
};

type WaitersOptions = {
  readonly url: string;
  /** Called after each connect and each change of the drained destinations. */
  readonly onDrains?: () => void;
  /** Called when the connection is lost; it reconnects by itself. */
  readonly onLost: (error: Error) => void;
};

/**
 * Opens one connection per process that listens for changes of sessions (`NOTIFY session, '<id>
 * <STATE>'`). Wakes all callers after each connect, so that they read what changed in the meantime.
 */
export function openWaiters({ url, onDrains = () => undefined, onLost }: WaitersOptions): Waiters {
  const board = openBoard();
  const listeners: ChangeListener[] = [];
  const released = new AbortController();
  const listener = listen({
    url,
    name: 'planner',
    channel: 'session',
    onLost,
    onMessage: (message) => {
      if (message === DRAINS_CHANGED) onDrains();
      else {
        const [session = ''] = message.split(' ', 1);
        board.wake(session);
        for (const { onChange } of listeners) onChange(session);
      }
    },
    onConnected: () => {
      onDrains();
      board.wakeAll();
      for (const { onConnected } of listeners) onConnected();
    },
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
    hear: (heard) => void listeners.push(heard),
    size: board.size,
    released: released.signal,
    release,
    close: async () => {
      release();
      await listener.close();
    },
  };
}

/** Callbacks by job; `wake` runs those of one job, `wakeAll` runs all. */
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
