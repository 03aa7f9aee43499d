import type { JobDocument } from './contract.ts';
import type { Outcome } from './http/outcome.ts';
import { pause, wantedPause } from './http/pause.ts';
import { isPassing } from './http/trouble.ts';

/** What a request for a job says: to wait until it has left this phase. */
export type WaitQuery = { readonly WAIT?: number; readonly PHASE?: JobDocument['phase'] };

export type WatchTerms = {
  readonly read: (query: WaitQuery, signal?: AbortSignal) => Promise<Outcome<JobDocument>>;
  /** the most seconds that the next request waits; the service knows up to 60 */
  readonly wait?: () => number;
  /** resolves when the job may have changed; undefined: the next request has to wait for that */
  readonly told?: (job: JobDocument) => Promise<void> | undefined;
  readonly signal?: AbortSignal | undefined;
};

const ACTIVE: ReadonlySet<JobDocument['phase']> = new Set([
  'PENDING',
  'QUEUED',
  'EXECUTING',
  'HELD',
  'SUSPENDED',
  'UNKNOWN',
]);
const MOST_WAIT_S = 60;
/** An answer that came sooner was not waited for. */
const EARLY_MS = 1000;
const PAUSE_MS = 500;
const MOST_PAUSE_MS = 5000;

/** Can the job still change by itself? */
export function isActive({ phase }: Pick<JobDocument, 'phase'>): boolean {
  return ACTIVE.has(phase);
}

/**
 * Reads a job whenever it may have changed, until it is over or asking again does not help. Tells
 * of each reading, and of those that failed.
 *
 * @throws the reason of the signal
 */
export async function* watchJob({
  read,
  wait = () => MOST_WAIT_S,
  told = () => undefined,
  signal,
}: WatchTerms): AsyncGenerator<Outcome<JobDocument>, void> {
  /** of the last reading, to wait for the next; undefined: read at once */
  let last: JobDocument | undefined;
  let pauses = 0;
  for (;;) {
    const askedAt = performance.now();
    const before = last;
    const outcome = await read(before === undefined ? {} : waitQuery(before, wait()), signal);
    signal?.throwIfAborted();
    // A proxy may cut requests that wait.
    last = outcome.ok ? outcome.data : undefined;
    yield outcome;
    if (outcome.ok ? !isActive(outcome.data) : !isPassing(outcome.trouble)) return;
    const change = outcome.ok ? told(outcome.data) : undefined;
    if (change !== undefined) {
      await change;
      last = undefined;
      continue;
    }
    const hasWaited = before !== undefined && performance.now() - askedAt >= EARLY_MS;
    const isNew = outcome.ok && outcome.data.phase !== before?.phase;
    pauses = hasWaited || isNew ? 0 : pauses + 1;
    // The service waits for the end of no unknown phase, and another server for none at all.
    if (!outcome.ok || pauses > 0 || last?.phase === 'UNKNOWN')
      await pause(pauseAfter(outcome, pauses), signal);
  }
}

function waitQuery({ phase }: JobDocument, wait: number): WaitQuery {
  const seconds = Math.floor(Math.min(MOST_WAIT_S, wait));
  return seconds < 1 ? {} : { WAIT: seconds, PHASE: phase };
}

function pauseAfter(outcome: Outcome<JobDocument>, pauses: number): number {
  const { retryAfter } = outcome.ok ? { retryAfter: undefined } : outcome.trouble;
  const usual = Math.min(MOST_PAUSE_MS, PAUSE_MS * 2 ** Math.max(0, pauses - 1));
  return wantedPause(retryAfter) ?? usual;
}
