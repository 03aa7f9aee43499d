import { useSignal, type Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api, outcomeOf, type Outcome } from '../api.ts';
import type { Documents } from '../contract.ts';
import type { Trouble } from '../trouble.ts';
import { isSeen } from './visible.ts';

type Job = Documents['UwsJob'];

/** A job as it is now. */
export type Followed = {
  readonly job: Job | undefined;
  /** why it cannot be read now; the job is then as it was */
  readonly trouble: Trouble | undefined;
};

const PAUSE_MS = 2000;
const ACTIVE = new Set(['PENDING', 'QUEUED', 'EXECUTING', 'HELD', 'SUSPENDED', 'UNKNOWN']);

/** Can the job still change by itself? */
export function isActive({ phase }: Job): boolean {
  return ACTIVE.has(phase);
}

/** Follows a job to its end, with a request that waits for the next phase. */
export function useJob(ident: string): {
  readonly now: Signal<Followed>;
  readonly read: () => void;
} {
  const now = useSignal<Followed>({ job: undefined, trouble: undefined });
  const again = useSignal(0);
  const seen = isSeen.value;
  useEffect(() => {
    if (!seen) return undefined;
    const stop = new AbortController();
    void followJob(ident, stop.signal, (next) => {
      now.value = next;
    });
    return () => stop.abort();
  }, [ident, seen, again.value]);
  return {
    now,
    read: () => {
      again.value += 1;
    },
  };
}

async function followJob(
  ident: string,
  signal: AbortSignal,
  show: (next: Followed) => void,
): Promise<void> {
  let job: Job | undefined;
  while (!signal.aborted) {
    const outcome = await readJob(ident, job, signal);
    if (signal.aborted) return;
    if (outcome.ok) job = outcome.data;
    show({ job, trouble: outcome.ok ? undefined : outcome.trouble });
    if (outcome.ok ? !isActive(outcome.data) : isFinal(outcome.trouble)) return;
    // A change of the place in the queue is no change of the phase.
    if (!outcome.ok || job?.phase === 'UNKNOWN')
      await pause((outcome.ok ? 0 : (outcome.trouble.retryAfter ?? 0) * 1000) || PAUSE_MS);
  }
}

function readJob(ident: string, last: Job | undefined, signal: AbortSignal): Promise<Outcome<Job>> {
  const query = last === undefined ? {} : { WAIT: 20, PHASE: last.phase };
  return outcomeOf(api.GET('/jobs/{job}', { params: { path: { job: ident }, query }, signal }));
}

/** Refusals that asking again does not change. */
function isFinal({ status }: Trouble): boolean {
  return status >= 400 && status < 500 && status !== 429;
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
