import { setTimeout } from 'node:timers';

/** Registers a function to call at the end, in reverse order. */
type OnEnd = (close: () => Promise<unknown>) => void;

/** The longest shutdown; the next process cleans up the rest, as after `kill -9`. */
const END_LIMIT_MS = 10_000;

/**
 * Shuts a worker down on SIGTERM, and when its parent process is gone (the IPC channel closes even
 * after `kill -9`), so that no worker outlives its service. Ctrl-C and the end of a terminal reach
 * every process of the group: a worker with a parent ignores them, because the parent drains first.
 *
 * Call it before anything slow: otherwise the end of the parent would be missed.
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
  // Defined if there was a channel, even if its other end is gone.
  const hadParent = process.send !== undefined;
  for (const signal of ['SIGINT', 'SIGHUP'] as const)
    process.on(signal, hadParent ? () => undefined : end);
  if (hadParent) process.on('disconnect', end);
  if (hadParent && !process.connected) end();
  return (one) => void closing.push(one);
}
