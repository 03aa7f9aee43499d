import { setTimeout } from 'node:timers';
import { WITH_PARENT } from '../src/tree.ts';

/** The longest an end in order may take; what is left undone then is found by whoever comes next, as after `kill -9`. */
const END_LIMIT_MS = 10_000;

/**
 * Ends a worker in order: on SIGTERM, and when the process that started it is gone (its end of the IPC channel closes even
 * after `kill -9`), so that no worker outlives its service. Ctrl-C reaches every process of the group: a worker with a
 * parent leaves it to the parent, which drains first.
 *
 * Call it before anything else. @returns where the worker says, as it starts, what to close; the last one is closed first.
 */
export const endWithParent = (): ((close: () => Promise<unknown>) => void) => {
  const steps: (() => Promise<unknown>)[] = [];
  let ending = false;
  const close = async (): Promise<void> => {
    for (const step of steps.toReversed()) await step();
  };
  const end = (): void => {
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(1), END_LIMIT_MS).unref();
    close().then(() => process.exit(0), () => process.exit(1));
  };
  process.on('SIGTERM', end);
  if (!process.argv.includes(WITH_PARENT)) {
    process.on('SIGINT', end);
  } else {
    process.on('SIGINT', () => undefined);
    process.on('disconnect', end);
    // The parent was gone before anybody listened.
    if (!process.connected) end();
  }
  return (step) => void steps.push(step);
};
