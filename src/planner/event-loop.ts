/**
 * Yields to the event loop between CPU-heavy pieces, so that health checks and timers run. A NO at
 * a thousand destinations takes milliseconds, and many asks come at once.
 */
export type EventLoopYield = { readonly next: () => Promise<void> };

export function createEventLoopYield(): EventLoopYield {
  let last: Promise<unknown> = Promise.resolve();
  return {
    next: async () => {
      const mine = last.then(() => new Promise((done) => setImmediate(done)));
      last = mine;
      await mine;
    },
  };
}
