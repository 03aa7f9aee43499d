import { Client } from 'pg';
import type { JobId } from '../words/ids.ts';

/** Where changes of sessions are heard. */
export type Waiters = {
  /**
   * Resolves at the next change of the job's session, or when `signal` aborts. It may resolve without a change: the
   * caller reads the job again. Call it before reading, so that no change falls between.
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

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5000;

/** Callbacks by job; `wake` runs those of one job, `wakeAll` every one. */
const openBoard = () => {
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
};

/**
 * One connection per process that listens for changes of sessions (`NOTIFY session, '<id> <STATE>'`). Whenever it is
 * made, the first time or again, everybody is woken: what was said while nobody listened is read, not lost.
 */
export const openWaiters = ({ url, onLost }: WaitersOptions): Waiters => {
  const board = openBoard();
  let client: Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  let retryMs = FIRST_RETRY_MS;
  const released = new AbortController();
  let closed = false;

  const listen = async (): Promise<void> => {
    const fresh = new Client({ connectionString: url, application_name: 'execution-planner waiters', keepAlive: true });
    client = fresh;
    // `error` and `end` can both come for one loss, and either alone.
    let lost = false;
    const lose = (reason: Error): void => {
      if (lost || closed) return;
      lost = true;
      onLost(reason);
      fresh.end().catch(() => undefined);
      retry = setTimeout(listen, retryMs);
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
    };
    fresh.on('error', lose).on('end', () => lose(new Error('the database ended the connection')));
    fresh.on('notification', ({ payload }) => board.wake(payload?.split(' ', 1)[0] ?? ''));
    try {
      await fresh.connect();
      await fresh.query('LISTEN session');
      retryMs = FIRST_RETRY_MS;
      board.wakeAll();
    } catch (error) {
      lose(error instanceof Error ? error : new Error(String(error)));
    }
  };
  void listen();

  const release = (): void => {
    released.abort();
    board.wakeAll();
  };

  return {
    next: (job, signal) => new Promise((resolve) => {
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
      closed = true;
      clearTimeout(retry);
      release();
      await client?.end().catch(() => undefined);
    },
  };
};
