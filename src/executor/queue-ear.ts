import type { EventEmitter } from 'node:events';

/** Signs of life in a row during which the queue heard nothing: about 20 seconds. */
const MOST_MISSED = 10;

/**
 * Notices a queue that cannot hear any more although the database answers. The library keeps a
 * failed reading of its task names: a database that goes away during the first look for a message
 * makes every later look fail, without a word in the log. Such an executor is alive, renews its
 * leases, and begins no job.
 */
type QueueEar = {
  /** Called after each sign of life. @returns is the queue deaf? */
  readonly missed: () => boolean;
  /** The database gave no answer, so the queue could not have one either. */
  readonly excuse: () => void;
};

/**
 * @param events of the queue
 * @param isBusy do all of its workers have a message? Then none of them looks for one.
 */
export function openEar(events: EventEmitter, isBusy: () => boolean): QueueEar {
  let missed = 0;
  const hear = (): void => {
    missed = 0;
  };
  for (const answer of ['worker:getJob:empty', 'job:start', 'job:complete'])
    events.on(answer, hear);
  return {
    missed: () => {
      missed = isBusy() ? 0 : missed + 1;
      return missed > MOST_MISSED;
    },
    excuse: hear,
  };
}
