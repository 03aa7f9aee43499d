import { isUnended, type BatchJob } from './system.ts';

/** What a system lists, by the names of jobs. */
export type ListedJobs = ReadonlyMap<string, readonly BatchJob[]>;

/** Jobs that are over, of which an executor that stood still may send another one. */
type LateJobs = {
  /** From now on, what is sent under this name is cancelled. */
  readonly add: (name: string) => void;
  /**
   * Cancels what is listed under the names, until a list has nothing of them. Never rejects: what
   * cannot be cancelled is tried again with the next list.
   *
   * @param asked when the system was asked for the list
   */
  readonly cancel: (listed: ListedJobs, asked: number) => Promise<void>;
  readonly areThere: () => boolean;
};

/** @param cancel asks the system to end one job */
export function openLateJobs(cancel: (id: number) => Promise<void>): LateJobs {
  /** Since when each name is over: older lists show its jobs as they were before. */
  const over = new Map<string, number>();
  return {
    add: (name) => void over.set(name, performance.now()),
    cancel: async (listed, asked) => {
      const names = [...over].filter(([, since]) => since < asked).map(([name]) => name);
      const ids = names.flatMap((name) => {
        const going = (listed.get(name) ?? []).filter(({ phase }) => isUnended(phase));
        if (going.length === 0) over.delete(name);
        return going.map(({ id }) => id);
      });
      await Promise.allSettled(ids.map(cancel));
    },
    areThere: () => over.size > 0,
  };
}
