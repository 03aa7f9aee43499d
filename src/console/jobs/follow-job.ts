import { useSignal, type Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api, outcomeOf, type Outcome } from '../api.ts';
import type { Documents } from '../contract.ts';
import { isLive } from '../live/changes.ts';
import type { Trouble } from '../trouble.ts';
import { who } from '../who.ts';
import { openBell, type Bell } from './job-bell.ts';
import { isSeen } from '../live/visible.ts';

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

/**
 * Follows a job to its end: reads it when the service tells of a change, or where that is not told,
 * with a request that waits for the next phase.
 */
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
    const bell = openBell(ident);
    void followJob(ident, bell, stop.signal, (next) => {
      now.value = next;
    });
    return () => {
      stop.abort();
      bell.close();
    };
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
  bell: Bell,
  signal: AbortSignal,
  show: (next: Followed) => void,
): Promise<void> {
  let job: Job | undefined;
  /** of the last reading, to wait for the next; undefined: read at once */
  let last: Job | undefined;
  while (!signal.aborted) {
    bell.quiet();
    const outcome = await readJob(ident, last, signal);
    if (signal.aborted) return;
    if (outcome.ok) job = outcome.data;
    last = job;
    show({ job, trouble: outcome.ok ? undefined : outcome.trouble });
    if (outcome.ok ? !isActive(outcome.data) : isFinal(outcome.trouble)) return;
    if (outcome.ok && isTold(outcome.data)) {
      await bell.rings(outcome.data.phase === 'QUEUED');
      last = undefined;
    } else if (!outcome.ok) {
      // A proxy may cut requests that wait.
      last = undefined;
      await pause((outcome.trouble.retryAfter ?? 0) * 1000 || PAUSE_MS);
    }
    // A request does not wait for the end of this phase.
    else if (outcome.data.phase === 'UNKNOWN') await pause(PAUSE_MS);
  }
}

/** Are changes of this job told? Those of others are not, which administrators see. */
function isTold({ ownerId }: Job): boolean {
  const { value: now } = who;
  return isLive.value && now.kind === 'known' && now.me.identity.user === (ownerId ?? undefined);
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
