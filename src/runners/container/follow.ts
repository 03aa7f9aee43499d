import type { RunId } from '../../words/run-id.ts';
import type { Stop } from '../run/outcome.ts';
import {
  deadlineOf,
  overTime,
  watchRun,
  type RunWatch,
  type WatchedRun,
} from '../run/run-watch.ts';
import type { Usage } from '../port.ts';
import type { EngineApi } from './api/client.ts';
import { readStats } from './api/stats.ts';
import { copyLogs } from './api/logs.ts';

/** A container that runs; `startedAt`: milliseconds since 1970. */
type FollowedContainer = WatchedRun & { readonly startedAt: number };

/**
 * Follows running containers: their output as it comes, their end, and the limits that no engine
 * keeps.
 */
type ContainerFollowers = {
  /** Does nothing for a job that is followed already. */
  readonly follow: (job: RunId, run: FollowedContainer) => void;
  /**
   * Ends it, and resolves once nothing is written to the job's files any more.
   * @returns true when it was followed
   */
  readonly forget: (job: RunId) => Promise<boolean>;
  /** what it has used, when it was looked at last; undefined: it is not followed */
  readonly usedBy: (job: RunId) => Usage | undefined;
  readonly close: () => Promise<void>;
};

type FollowedBy = {
  readonly api: EngineApi;
  /** the container may have ended, or the connection has */
  readonly onEnd: (job: RunId) => Promise<void>;
  readonly onOver: (job: RunId, stop: Stop) => Promise<void>;
};

type Followed = FollowedContainer & {
  readonly watch: RunWatch;
  /** see {@link deadlineOf} */
  readonly deadline: number;
  isEnding: boolean;
  used: Usage;
  /** when its usage is read next, milliseconds since 1970 */
  readAt: number;
};

const ROUND_MS = 500;
/** Usage is read after twice the time that the run has taken, and this often at least. */
const LONGEST_UNREAD_MS = 10_000;

/** Starts following; its timer keeps no process alive. */
export function containerFollowers({ api, onEnd, onOver }: FollowedBy): ContainerFollowers {
  const followed = new Map<RunId, Followed>();

  const end = (job: RunId, how: () => Promise<void>): void => {
    const entry = followed.get(job);
    if (entry === undefined || entry.isEnding) return;
    entry.isEnding = true;
    // What fails now (an engine that does not answer) is done in the next round.
    void how()
      .catch(() => undefined)
      .finally(() => {
        entry.isEnding = false;
      });
  };

  const copy = ({ place, watch }: Followed): void =>
    watch.copy((most, signal) => copyLogs(api, place, { follow: true, most, signal }));

  /** The engine forgets what a container used when it ends. */
  const readUsage = async (job: RunId, entry: Followed): Promise<void> => {
    const now = Date.now();
    if (now < entry.readAt) return;
    entry.readAt = now + Math.min(LONGEST_UNREAD_MS, Math.max(0, now - entry.startedAt));
    entry.used = await readStats(api, job, entry.used);
  };

  const inspect = (job: RunId, entry: Followed): void => {
    const late = overTime(entry.limits, entry.deadline);
    if (late !== undefined) return end(job, () => onOver(job, late));
    // Without a copy, the container has ended and could not be settled, or the engine was restarted.
    if (!entry.watch.isCopying()) {
      end(job, () => onEnd(job));
      if (followed.get(job) === entry) copy(entry);
    }
    return entry.watch.count(() => readUsage(job, entry));
  };

  const timer = setInterval(() => {
    for (const [job, entry] of followed) inspect(job, entry);
  }, ROUND_MS).unref();

  const forget = async (job: RunId): Promise<boolean> => {
    const entry = followed.get(job);
    followed.delete(job);
    await entry?.watch.close();
    return entry !== undefined;
  };

  return {
    follow: (job, run) => {
      if (followed.has(job)) return;
      // A run that we follow again meanwhile has a watch of its own.
      const ifOurs = (how: () => Promise<void>): void => {
        if (followed.get(job) === entry) end(job, how);
      };
      const watch = watchRun(
        run,
        (stop) => ifOurs(() => onOver(job, stop)),
        () => ifOurs(() => onEnd(job)),
      );
      const deadline = deadlineOf(run.limits, run.startedAt);
      const entry: Followed = { ...run, watch, deadline, isEnding: false, used: {}, readAt: 0 };
      followed.set(job, entry);
      copy(entry);
    },
    forget,
    usedBy: (job) => followed.get(job)?.used,
    close: async () => {
      clearInterval(timer);
      await Promise.all([...followed.keys()].map(forget));
    },
  };
}
