/**
 * Work of milliseconds, one piece for each turn of the event loop. A NO at a thousand destinations
 * is such work, and asks come in crowds: done in one turn, connections, answers of the database and
 * timers wait for all of it, and what has answered in time is taken for dead.
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
