import { limitConcurrency } from '../../words/concurrency.ts';

/**
 * Work of which only so much is under way at a time; the rest waits in the order in which it came.
 */
export type BoundedQueue = {
  /** @returns undefined when too much waits already, and then nothing is done */
  readonly run: <Result>(work: () => Promise<Result>) => Promise<Result | undefined>;
};

/**
 * @param width so much at a time
 * @param most so much waits beside it
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
