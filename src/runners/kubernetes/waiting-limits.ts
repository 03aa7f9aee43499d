import type { JobDirectory } from '../run/directory.ts';
import { noteStarted, readStarted, type ClusterIntent } from './files.ts';
import type { JobSighting } from './follow.ts';
import type { KubernetesSettings } from './settings.ts';
import type { ClusterEnding } from './pods/ending.ts';
import type { SeenJob } from './state.ts';

type Waits = Pick<KubernetesSettings, 'longestWait' | 'pullLimit'>;
type Waiting = Extract<SeenJob, { readonly phase: 'waiting' }>;

/** The cluster rounds times to whole seconds. */
const GRAIN_MS = 1000;

/**
 * What to do about a job that has not ended. The first time that it is seen to run, its start is
 * written down: by this machine's clock and never before it was sent, so that a slow clock of the
 * cluster does not shorten the run.
 */
export async function judgeWaiting(
  place: JobDirectory,
  { since }: ClusterIntent,
  seen: Exclude<SeenJob, { readonly phase: 'ended' }>,
  waits: Waits,
): Promise<JobSighting> {
  const now = Date.now();
  switch (seen.phase) {
    case 'running': {
      const startedAt = await noteStarted(
        place,
        Math.max(since, Math.min(now, seen.startedAt + GRAIN_MS)),
      );
      return { startedAt, pods: seen.pods, hopeless: undefined };
    }
    case 'waiting': {
      // The pods of a chart come one after the other.
      const startedAt = await readStarted(place);
      if (startedAt !== undefined) return { startedAt, pods: [], hopeless: undefined };
      const until = untilOf(seen, waits);
      return {
        startedAt,
        pods: [],
        hopeless: hopelessOf(seen, waits, now),
        ...(until !== undefined && { until }),
      };
    }
    default:
      return seen satisfies never;
  }
}

/** Until when a job that has not begun may wait; undefined: without an end. */
function untilOf(
  { trouble, placedAt, madeAt }: Waiting,
  { longestWait, pullLimit }: Waits,
): number | undefined {
  if (placedAt === undefined) return madeAt + longestWait * 1000;
  return trouble && placedAt + pullLimit * 1000;
}

/** Why a job that has not begun is to be given up; undefined while it may wait. */
function hopelessOf(seen: Waiting, waits: Waits, now: number): ClusterEnding | undefined {
  const { trouble, placedAt } = seen;
  const isOver = now >= (untilOf(seen, waits) ?? Infinity);
  if (trouble?.final === true)
    return { kind: 'failed', code: trouble.code, message: trouble.message, transient: false };
  if (placedAt === undefined) {
    const why = trouble === undefined ? '' : `: ${trouble.message}`;
    return isOver
      ? {
          kind: 'failed',
          code: 'queue-limit-exceeded',
          message: `the cluster did not start the job within ${waits.longestWait} s${why}`,
          transient: true,
        }
      : undefined;
  }
  return trouble === undefined || !isOver
    ? undefined
    : { kind: 'failed', code: trouble.code, message: trouble.message, transient: true };
}
