import { writeHeapSnapshot } from 'node:v8';

/*
 * Imported into a process that is measured (`node --expose-gc --import`), which answers its parent:
 * what its memory is after all that nobody uses is gone, and, where a file is named, what is in it.
 */
process.on('message', (message: unknown) => {
  const { measure, snapshot } = Object(message);
  if (measure !== true) return;
  // What one leaves for the end of a turn, the next one finds.
  globalThis.gc?.();
  setImmediate(() => {
    globalThis.gc?.();
    const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
    if (typeof snapshot === 'string') writeHeapSnapshot(snapshot);
    process.send?.({ measured: { rss, heapUsed, heapTotal, external } });
  });
});
