import { writeHeapSnapshot } from 'node:v8';

/*
 * Imported into a measured process (`node --expose-gc --import`), it answers the parent with the
 * memory after a garbage collection, and writes a heap snapshot if a file is named.
 */
process.on('message', (message: unknown) => {
  const { measure, snapshot } = Object(message);
  if (measure !== true) return;
  // A second collection finds what the first leaves until the end of a turn.
  globalThis.gc?.();
  setImmediate(() => {
    globalThis.gc?.();
    const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
    if (typeof snapshot === 'string') writeHeapSnapshot(snapshot);
    process.send?.({ measured: { rss, heapUsed, heapTotal, external } });
  });
});
