import type { RunId } from '../../words/run-id.ts';
import { limitConcurrency } from '../../words/concurrency.ts';
import type { Stop } from '../run/outcome.ts';
import {
  deadlineOf,
  overTime,
  watchRun,
  type RunWatch,
  type WatchedRun,
} from '../run/run-watch.ts';
import type { Cluster } from './cluster.ts';
import type { ClusterIntent } from './files.ts';
import { CONTAINER } from './manifests/job.ts';
import { copyLog } from './logs/copy.ts';
import type { ClusterEnding } from './pods/ending.ts';
import type { RunningPod } from './state.ts';
import { startWatch } from './watch.ts';

/** A job in the cluster that has not ended. */
type FollowedJob = WatchedRun & { readonly intent: ClusterIntent };

/** What was seen of a job last. Times are milliseconds of the epoch. */
export type JobSighting = {
  /** undefined: it has not begun */
  readonly startedAt: number | undefined;
  readonly pods: readonly RunningPod[];
  /** why it is to be given up */
  readonly hopeless: ClusterEnding | undefined;
  /** when it would be; no watch tells that */
  readonly until?: number;
};

/**
 * Follows jobs: their changes by watches, their output, and the limits that the cluster does not
 * keep.
 */
type JobFollowers = {
  /**
   * Takes note of what was seen; begins to follow a job that is not followed yet.
   * @returns true when it was not known to have begun, and has
   */
  readonly saw: (job: RunId, run: FollowedJob, seen: JobSighting) => boolean;
  /**
   * What was seen last, while the watches would have told of anything else; undefined when the job
   * is to be looked at.
   */
  readonly lately: (job: RunId) => JobSighting | undefined;
  /** Looks at it again in a second. */
  readonly retry: (job: RunId) => void;
  /**
   * Ends it, and resolves once nothing is written to the job's files any more.
   *
   * @param patience milliseconds that the last of its log may take to come; a node gives the oldest
   * lines of a long log only to who follows it
   */
  readonly forget: (job: RunId, patience?: number) => Promise<void>;
  readonly close: () => Promise<void>;
};

type FollowedBy = {
  readonly cluster: Cluster;
  /** Looks at it again. */
  readonly onChange: (job: RunId) => Promise<void>;
  readonly onOver: (job: RunId, stop: Stop) => Promise<void>;
  readonly onHopeless: (job: RunId, ending: ClusterEnding) => Promise<void>;
};

type Followed = FollowedJob & {
  seen: JobSighting;
  /** see {@link deadlineOf}; undefined: it has not begun */
  deadline: number | undefined;
  /** pods whose deadline was brought down */
  readonly limited: Set<string>;
  readonly watch: RunWatch;
  isBusy: boolean;
  /** a change came while it was busy */
  isChanged: boolean;
  lookedAt: number;
  seenAt: number;
};

const ROUND_MS = 500;
/** Jobs are looked at this often without a reason: no watch tells of an image that never comes. */
const LOOK_MS = 15_000;
const RETRY_MS = 1000;
const AT_ONCE = 8;

/** Follows nothing yet; its timer keeps no process alive. The watches begin with the first job. */
export function jobFollowers({ cluster, onChange, onOver, onHopeless }: FollowedBy): JobFollowers {
  const followed = new Map<string, Followed>();
  const turns = limitConcurrency(AT_ONCE);
  let watches: ReturnType<typeof startWatch> | undefined;

  /** Does one thing at a time for each job; a change meanwhile is looked at afterwards. */
  const act = (job: RunId, entry: Followed, how: () => Promise<void>): void => {
    if (followed.get(job) !== entry) return;
    entry.isChanged = entry.isBusy;
    if (entry.isBusy) return;
    entry.isBusy = true;
    // What fails now (a cluster that does not answer) is done in a later round.
    void turns(how)
      .catch(() => lookLater(entry))
      .finally(() => {
        entry.isBusy = false;
        if (entry.isChanged) look(job, entry);
      });
  };

  const look = (job: RunId, entry: Followed): void =>
    act(job, entry, async () => {
      entry.lookedAt = performance.now();
      await onChange(job);
    });

  const inspect = (job: RunId, entry: Followed): void => {
    const { startedAt, pods, hopeless, until = Infinity } = entry.seen;
    if (hopeless !== undefined) return act(job, entry, () => onHopeless(job, hopeless));
    const late = entry.deadline === undefined ? undefined : overTime(entry.limits, entry.deadline);
    if (late !== undefined) return act(job, entry, () => onOver(job, late));
    const unlooked = performance.now() - entry.lookedAt;
    if (unlooked > LOOK_MS || (Date.now() > until && unlooked > RETRY_MS)) look(job, entry);
    const [first] = pods;
    if (first !== undefined && entry.intent.output === 'log') copy(cluster, entry, first.name);
    return startedAt === undefined ? undefined : entry.watch.count(() => limitPods(cluster, entry));
  };

  const timer = setInterval(() => {
    for (const entry of followed.values()) inspect(entry.place.job, entry);
  }, ROUND_MS).unref();

  const changed = (job: string): void => {
    const entry = followed.get(job);
    if (entry !== undefined) look(entry.place.job, entry);
  };

  /** What was seen may no longer be so. */
  const doubt = (): void => {
    for (const entry of followed.values()) {
      entry.seenAt = -Infinity;
      lookLater(entry);
    }
  };

  const begin = (job: RunId, run: FollowedJob, seen: JobSighting): Followed => {
    const watch = watchRun(run, (stop) => act(job, entry, () => onOver(job, stop)));
    const entry: Followed = {
      ...run,
      seen,
      deadline: undefined,
      limited: new Set(),
      watch,
      isBusy: false,
      isChanged: false,
      lookedAt: performance.now(),
      seenAt: 0,
    };
    followed.set(job, entry);
    watches ??= startWatch({
      cluster,
      onChange: changed,
      onGap: () => [...followed.keys()].forEach(changed),
      onSilence: doubt,
    });
    return entry;
  };

  const forget = async (job: RunId, patience = 0): Promise<void> => {
    const entry = followed.get(job);
    followed.delete(job);
    await entry?.watch.close(patience);
  };

  return {
    saw: (job, run, seen) => {
      const known = followed.get(job);
      const hadBegun = known?.seen.startedAt !== undefined;
      const entry = known ?? begin(job, run, seen);
      entry.seen = seen;
      entry.seenAt = performance.now();
      if (seen.startedAt !== undefined) entry.deadline ??= deadlineOf(run.limits, seen.startedAt);
      if (known === undefined) inspect(job, entry);
      return seen.startedAt !== undefined && !hadBegun;
    },
    lately: (job) => {
      const entry = followed.get(job);
      return entry === undefined || entry.isBusy || performance.now() - entry.seenAt > LOOK_MS
        ? undefined
        : entry.seen;
    },
    retry: (job) => {
      const entry = followed.get(job);
      if (entry !== undefined) lookLater(entry);
    },
    forget,
    close: async () => {
      clearInterval(timer);
      await watches?.close();
      await Promise.all([...followed.values()].map(({ place }) => forget(place.job)));
    },
  };
}

/** It is looked at again in a second. */
function lookLater(entry: Followed): void {
  entry.lookedAt = performance.now() - LOOK_MS + RETRY_MS;
}

function copy(cluster: Cluster, { place: { stdout }, watch }: Followed, pod: string): void {
  watch.copy((most, signal) =>
    copyLog(cluster, { pod, container: CONTAINER, file: stdout, most, follow: true, signal }),
  );
}

/**
 * Brings the deadline of a pod, which had time for the image in it, down to the offered duration:
 * the cluster ends the run when nobody else does.
 */
async function limitPods(
  cluster: Cluster,
  { limited, limits, seen: { pods } }: Followed,
): Promise<void> {
  for (const { name, placedAt, startedAt } of pods) {
    if (limited.has(name)) continue;
    await cluster.limit(name, Math.ceil(limits.wallTime + (startedAt - placedAt) / 1000) + 1);
    limited.add(name);
  }
}
