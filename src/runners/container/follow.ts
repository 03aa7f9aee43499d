import type { RunId } from '../../words/run-id.ts';
import type { Limits } from '../port.ts';
import type { JobDirectory } from '../run/directory.ts';
import { stopMessage, type Stop } from '../run/outcome.ts';
import { checkScratch, mostOutput } from '../process/supervise/limits.ts';
import type { EngineApi } from './api.ts';
import { copyLogs } from './logs.ts';

/** A container that runs. */
export type FollowedContainer = {
  readonly place: JobDirectory;
  readonly limits: Limits;
  /** milliseconds since 1970 */ readonly startedAt: number;
};

/**
 * Follows running containers: their output as it comes, their end, and
 * their limits that no engine keeps.
 */
export type ContainerFollowers = {
  /** Does nothing for a job that is followed already. */
  readonly follow: (job: RunId, run: FollowedContainer) => void;
  /**
   * Ends it, and resolves once nothing is written to the job's files any more.
   * @returns true when it was followed
   */
  readonly forget: (job: RunId) => Promise<boolean>;
  readonly close: () => Promise<void>;
};

type Duties = {
  readonly api: EngineApi;
  /** the container may have ended, or the connection has */
  readonly onEnd: (job: RunId) => Promise<void>;
  readonly onOver: (job: RunId, stop: Stop) => Promise<void>;
};

type Entry = FollowedContainer & {
  readonly abort: AbortController;
  copy: Promise<void>;
  copying: boolean;
  counting: boolean;
  ending: boolean;
};

const ROUND = 500;

/** Starts following; its timer keeps no process alive. */
export function containerFollowers({ api, onEnd, onOver }: Duties): ContainerFollowers {
  const entries = new Map<RunId, Entry>();

  const end = (job: RunId, entry: Entry, how: () => Promise<void>): void => {
    if (entry.ending || entries.get(job) !== entry) return;
    entry.ending = true;
    // What fails now (an engine that does not answer) is done in the next round.
    void how()
      .catch(() => undefined)
      .finally(() => {
        entry.ending = false;
      });
  };

  const copy = (job: RunId, entry: Entry): void => {
    const { place, limits, abort } = entry;
    entry.copying = true;
    entry.copy = copyLogs(api, place, {
      follow: true,
      most: mostOutput(limits),
      signal: abort.signal,
    })
      .then(
        (whole) =>
          end(job, entry, () =>
            whole
              ? onEnd(job)
              : onOver(job, { reason: 'output', message: stopMessage('output', limits) }),
          ),
        () => undefined,
      )
      .finally(() => {
        entry.copying = false;
      });
  };

  const count = async (job: RunId, entry: Entry): Promise<void> => {
    const { place, limits } = entry;
    const stop = await checkScratch(limits, place);
    if (stop !== undefined) end(job, entry, () => onOver(job, stop));
  };

  const inspect = (job: RunId, entry: Entry): void => {
    const late = overTime(entry, Date.now());
    if (late !== undefined) return end(job, entry, () => onOver(job, late));
    // A copy that is over: the container has ended and could not be settled, or
    // the engine was started again.
    if (!entry.copying) {
      end(job, entry, () => onEnd(job));
      if (entries.get(job) === entry) copy(job, entry);
    }
    if (entry.counting) return undefined;
    entry.counting = true;
    void count(job, entry)
      .catch(() => undefined)
      .finally(() => {
        entry.counting = false;
      });
    return undefined;
  };

  const timer = setInterval(() => {
    for (const [job, entry] of entries) inspect(job, entry);
  }, ROUND).unref();

  const forget = async (job: RunId): Promise<boolean> => {
    const entry = entries.get(job);
    if (entry === undefined) return false;
    entries.delete(job);
    entry.abort.abort();
    await entry.copy;
    return true;
  };

  return {
    follow: (job, run) => {
      if (entries.has(job)) return;
      const entry: Entry = {
        ...run,
        abort: new AbortController(),
        copy: Promise.resolve(),
        copying: false,
        counting: false,
        ending: false,
      };
      entries.set(job, entry);
      copy(job, entry);
    },
    forget,
    close: async () => {
      clearInterval(timer);
      await Promise.all([...entries.keys()].map(forget));
    },
  };
}

function overTime({ limits, startedAt }: FollowedContainer, now: number): Stop | undefined {
  return now - startedAt > limits.wallTime * 1000
    ? { reason: 'wall-time', message: stopMessage('wall-time', limits) }
    : undefined;
}
