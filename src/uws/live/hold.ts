import type { Writable } from 'node:stream';
import type { JobId } from '../../words/ids.ts';
import type { Waiters } from './waiters.ts';

/**
 * Reads a job, or its session, again at every change of its session while `stay` is true of it. Stops after
 * `seconds`, when the client leaves, or when the service stops. Holds only one entry among the
 * waiters.
 *
 * @returns the last reading.
 */
export async function holdWhile<Session>(
  waiters: Waiters,
  job: JobId,
  res: Writable,
  seconds: number,
  read: () => Promise<Session>,
  stay: (session: Session) => boolean,
): Promise<Session> {
  const over = new AbortController();
  const leave = (): void => over.abort();
  const timer = setTimeout(leave, seconds * 1000);
  // The client may have left during the first reading, before this function listened.
  if (res.closed) leave();
  res.once('close', leave);
  try {
    for (;;) {
      const change = waiters.next(job, over.signal);
      const latest = await read();
      if (over.signal.aborted || waiters.released.aborted || !stay(latest)) return latest;
      await change;
    }
  } finally {
    clearTimeout(timer);
    res.off('close', leave);
    leave();
  }
}
