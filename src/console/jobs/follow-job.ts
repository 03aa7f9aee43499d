import { useSignal, type Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api, outcomeOf, type Outcome } from '../api.ts';
import type { Documents } from '../contract.ts';
import { isLive } from '../live/changes.ts';
import type { Trouble } from '../client.ts';
import { watchJob, type WaitQuery } from '../job-client.ts';
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

/** A proxy may cut a request that waits for longer. */
const WAIT_S = 20;

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
  const readings = watchJob({
    read: (query) => {
      bell.quiet();
      return readJob(ident, query, signal);
    },
    wait: () => WAIT_S,
    told: (now) => (isTold(now) ? bell.rings(now.phase === 'QUEUED') : undefined),
    signal,
  });
  try {
    for await (const outcome of readings) {
      if (outcome.ok) job = outcome.data;
      show({ job, trouble: outcome.ok ? undefined : outcome.trouble });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Are changes of this job told? Those of others are not, which administrators see. */
function isTold({ ownerId }: Job): boolean {
  const { value: now } = who;
  return isLive.value && now.kind === 'known' && now.me.identity.user === (ownerId ?? undefined);
}

function readJob(ident: string, query: WaitQuery, signal: AbortSignal): Promise<Outcome<Job>> {
  return outcomeOf(api.GET('/jobs/{job}', { params: { path: { job: ident }, query }, signal }));
}
