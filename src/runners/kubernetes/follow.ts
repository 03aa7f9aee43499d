import { setTimeout as delay } from 'node:timers/promises';
import type { RunId } from '../../words/run-id.ts';
import type { Limits } from '../port.ts';
import type { JobDirectory } from '../run/directory.ts';
import { stopMessage, type Stop } from '../run/outcome.ts';
import { checkScratch, mostOutput } from '../process/supervise/limits.ts';
import { limitConcurrency } from '../../words/concurrency.ts';
import type { Cluster } from './cluster.ts';
import type { ClusterIntent } from './files.ts';
import { CONTAINER } from './job.ts';
import { copyLog } from './logs/copy.ts';
import type { ClusterEnding, RunningPod } from './state.ts';
import { startWatch } from './watch.ts';

/** A job in the cluster that has not ended. */
export type FollowedJob = {
  readonly place: JobDirectory;
  readonly limits: Limits;
  readonly intent: ClusterIntent;
};

/** What was seen of it last. `startedAt`: milliseconds of the epoch, when it has begun. */
export type FollowAction = {
  readonly startedAt: number | undefined;
  readonly pods: readonly RunningPod[];
  /** why it is to be given up */ readonly hopeless: ClusterEnding | undefined;
  /** when it would be, milliseconds of the epoch; no watch tells that */ readonly until?: number;
};

/**
 * Follows jobs: their changes by watches, their output, and the limits
 * that the cluster does not keep.
 */
export type JobFollowers = {
  /**
   * Takes note of what was seen; begins to follow a job that is not followed yet.
   * @returns true when it was not known to have begun, and has
   */
  readonly saw: (job: RunId, run: FollowedJob, sight: FollowAction) => boolean;
  /**
   * What was seen last, while the watches would have told of anything else;
   * undefined when it is to be looked at.
   */
  readonly lately: (job: RunId) => FollowAction | undefined;
  /** Looks at it again in a second. */
  readonly retry: (job: RunId) => void;
  /**
   * Ends it, and resolves once nothing is written to the job's files any more.
   *
   * @param patience milliseconds that the last of its log may take to come; a node gives the oldest
   * lines of a long log only to who follows it
   * @returns true when it was followed
   */
  readonly forget: (job: RunId, patience?: number) => Promise<boolean>;
  readonly close: () => Promise<void>;
};

type Duties = {
  readonly cluster: Cluster;
  /** Looks at it again. */
  readonly onChange: (job: RunId) => Promise<void>;
  readonly onOver: (job: RunId, stop: Stop) => Promise<void>;
  readonly onHopeless: (job: RunId, ending: ClusterEnding) => Promise<void>;
};

type Entry = FollowedJob & {
  sight: FollowAction;
  readonly limited: Set<string>;
  readonly abort: AbortController;
  copy: Promise<void>;
  copying: boolean;
  counting: boolean;
  busy: boolean;
  again: boolean;
  lookedAt: number;
  seenAt: number;
};

const ROUND_MS = 500;
/**
 * Jobs are looked at so often without a reason: for what no watch tells,
 * such as an image that never comes.
 */
const LOOK_MS = 15_000;
const RETRY_MS = 1000;
const AT_ONCE = 8;

/** Follows nothing yet; its timer keeps no process alive. The watches begin with the first job. */
export function jobFollowers({ cluster, onChange, onOver, onHopeless }: Duties): JobFollowers {
  const entries = new Map<string, Entry>();
  const turns = limitConcurrency(AT_ONCE);
  let watches: ReturnType<typeof startWatch> | undefined;
  const later = (entry: Entry): void => {
    entry.lookedAt = performance.now() - LOOK_MS + RETRY_MS;
  };
  const isOurs = (job: RunId, entry: Entry): boolean => entries.get(job) === entry;

  /** One thing at a time for each job; a change meanwhile is looked at afterwards. */
  const act = (job: RunId, entry: Entry, how: () => Promise<void>): void => {
    if (!isOurs(job, entry)) return;
    if (entry.busy) {
      entry.again = true;
      return;
    }
    entry.busy = true;
    entry.again = false;
    // What fails now (a cluster that does not answer) is done in a later round.
    void turns(how)
      .catch(() => later(entry))
      .finally(() => {
        entry.busy = false;
        if (entry.again) look(job, entry);
      });
  };

  const look = (job: RunId, entry: Entry): void =>
    act(job, entry, async () => {
      entry.lookedAt = performance.now();
      await onChange(job);
    });

  const copy = (job: RunId, entry: Entry, pod: string): void => {
    const {
      place,
      limits,
      abort: { signal },
    } = entry;
    entry.copying = true;
    entry.copy = copyLog(cluster, {
      pod,
      container: CONTAINER,
      file: place.stdout,
      most: mostOutput(limits),
      follow: true,
      signal,
    })
      .then(
        (whole) => {
          if (!whole)
            act(job, entry, () =>
              onOver(job, { reason: 'output', message: stopMessage('output', limits) }),
            );
        },
        () => undefined,
      )
      .finally(() => {
        entry.copying = false;
      });
  };

  const count = async (job: RunId, entry: Entry): Promise<void> => {
    const { place, limits } = entry;
    const stop = await checkScratch(limits, place);
    if (stop !== undefined) act(job, entry, () => onOver(job, stop));
  };

  /**
   * The offered duration in place of the one that had the image's time in it: the cluster ends
   * the run when nobody else does.
   */
  const limitPods = async ({ limited, limits, sight: { pods } }: Entry): Promise<void> => {
    for (const { name, placedAt, startedAt } of pods) {
      if (limited.has(name)) continue;
      await cluster.limit(name, Math.ceil(limits.wallTime + (startedAt - placedAt) / 1000) + 1);
      limited.add(name);
    }
  };

  const inspect = (job: RunId, entry: Entry): void => {
    const {
      sight: { startedAt, pods, hopeless, until = Infinity },
      limits,
      intent,
    } = entry;
    if (hopeless !== undefined) return act(job, entry, () => onHopeless(job, hopeless));
    if (startedAt !== undefined && Date.now() - startedAt > limits.wallTime * 1000) {
      return act(job, entry, () =>
        onOver(job, { reason: 'wall-time', message: stopMessage('wall-time', limits) }),
      );
    }
    const unlooked = performance.now() - entry.lookedAt;
    if (unlooked > LOOK_MS || (Date.now() > until && unlooked > RETRY_MS)) look(job, entry);
    const [first] = pods;
    if (first !== undefined && intent.output === 'log' && !entry.copying)
      copy(job, entry, first.name);
    if (startedAt === undefined || entry.counting) return undefined;
    entry.counting = true;
    void Promise.all([count(job, entry), limitPods(entry)])
      .catch(() => undefined)
      .finally(() => {
        entry.counting = false;
      });
    return undefined;
  };

  const timer = setInterval(() => {
    for (const entry of entries.values()) inspect(entry.place.job, entry);
  }, ROUND_MS).unref();

  const changed = (job: string): void => {
    const entry = entries.get(job);
    if (entry !== undefined) look(entry.place.job, entry);
  };

  /** What was seen may no longer be so. */
  const doubt = (): void => {
    for (const entry of entries.values()) {
      entry.seenAt = -Infinity;
      later(entry);
    }
  };

  const forget = async (job: RunId, patience = 0): Promise<boolean> => {
    const entry = entries.get(job);
    if (entry === undefined) return false;
    entries.delete(job);
    if (patience > 0 && entry.copying)
      await Promise.race([entry.copy, delay(patience, undefined, { ref: false })]);
    entry.abort.abort();
    await entry.copy;
    return true;
  };

  return {
    saw: (job, run, sight) => {
      const known = entries.get(job);
      const entry = known ?? {
        ...run,
        sight,
        limited: new Set(),
        abort: new AbortController(),
        copy: Promise.resolve(),
        copying: false,
        counting: false,
        busy: false,
        again: false,
        lookedAt: performance.now(),
        seenAt: 0,
      };
      const hasBegun =
        sight.startedAt !== undefined &&
        (known === undefined || known.sight.startedAt === undefined);
      entry.sight = sight;
      entry.seenAt = performance.now();
      entries.set(job, entry);
      watches ??= startWatch({
        cluster,
        onChange: changed,
        onGap: () => [...entries.keys()].forEach(changed),
        onSilence: doubt,
      });
      if (known === undefined) inspect(job, entry);
      return hasBegun;
    },
    lately: (job) => {
      const entry = entries.get(job);
      return entry === undefined || entry.busy || performance.now() - entry.seenAt > LOOK_MS
        ? undefined
        : entry.sight;
    },
    retry: (job) => {
      const entry = entries.get(job);
      if (entry !== undefined) later(entry);
    },
    forget,
    close: async () => {
      clearInterval(timer);
      await watches?.close();
      await Promise.all([...entries.values()].map(({ place }) => forget(place.job)));
    },
  };
}
