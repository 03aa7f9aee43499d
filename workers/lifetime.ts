import { setTimeout } from 'node:timers';

/** Names something to close at the end; what was named last is closed first. */
export type OnEnd = (close: () => Promise<unknown>) => void;

/**
 * The longest an end in order may take; what is left undone then is found by whoever
 * comes next, as after `kill -9`.
 */
const END_LIMIT_MS = 10_000;

/**
 * Ends a worker in order: on SIGTERM, and when the process that started it is gone (its end of the
 * IPC channel closes even after `kill -9`), so that no worker outlives its service. Ctrl-C reaches
 * every process of the group: a worker with a parent leaves it to the parent, which drains first.
 *
 * Call it before anything that takes time: a parent that was killed meanwhile would not be missed.
 */
export function endWithParent(): OnEnd {
  const closing: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const one of closing.toReversed()) await one();
  };
  let ending = false;
  const end = (): void => {
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(1), END_LIMIT_MS).unref();
    close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', end);
  // Defined when there was a channel, also when its other end is gone by now.
  const hadParent = process.send !== undefined;
  process.on('SIGINT', hadParent ? () => undefined : end);
  if (hadParent) process.on('disconnect', end);
  if (hadParent && !process.connected) end();
  return (one) => void closing.push(one);
}
