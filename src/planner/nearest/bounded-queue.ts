import { limitConcurrency } from '../../words/concurrency.ts';

/** Runs a limited number of tasks at a time; others wait in order. */
type BoundedQueue = {
  /** @returns undefined if too many tasks wait; then this one does not run */
  readonly run: <Result>(work: () => Promise<Result>) => Promise<Result | undefined>;
};

/**
 * @param width how many tasks run at a time
 * @param most how many tasks may wait
 */
export function createBoundedQueue(width: number, most: number): BoundedQueue {
  const turns = limitConcurrency(width);
  let inside = 0;
  return {
    run: async (work) => {
      if (inside === width + most) return undefined;
      inside += 1;
      try {
        return await turns(work);
      } finally {
        inside -= 1;
      }
    },
  };
}
