import type { JobDocument } from './contract.ts';
import { errorOf, WaitTimeout } from './errors.ts';
import { openPatience } from './http/pause.ts';
import { isPassing } from './http/trouble.ts';
import { isActive, watchJob, type WatchTerms } from './watch.ts';

export type WaitTerms = {
  /** milliseconds for all of it; without it there is no limit */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** A service that has not answered for longer does not come again soon. */
const LONGEST_MS = 300_000;

/**
 * Reads a job whenever it may have changed, to its end. A service that begins again meanwhile does
 * not end it.
 *
 * @throws WaitTimeout; PlannerError where the job cannot be read; the reason of the signal
 */
export async function* readingsOf(
  read: WatchTerms['read'],
  { timeout = Infinity, signal }: WaitTerms = {},
): AsyncGenerator<JobDocument, void> {
  const end = performance.now() + timeout;
  const patience = openPatience(timeout, signal);
  let awaySince: number | undefined;
  try {
    for await (const outcome of watchJob({
      read,
      wait: () => (end - performance.now()) / 1000,
      signal: patience.signal,
    })) {
      if (outcome.ok) {
        yield outcome.data;
        if (!isActive(outcome.data)) return;
        awaySince = undefined;
        continue;
      }
      awaySince ??= performance.now();
      if (!isPassing(outcome.trouble) || performance.now() - awaySince > LONGEST_MS)
        throw errorOf(outcome.trouble, outcome.cause);
    }
  } catch (error) {
    if (!patience.signal.aborted || error !== patience.signal.reason) throw error;
    signal?.throwIfAborted();
    throw new WaitTimeout(`the job was not over within ${timeout} ms`);
  } finally {
    patience.close();
  }
}
