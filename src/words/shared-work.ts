/** Work of which one piece runs at a time for each key; whoever asks meanwhile shares it. */
export type SharedWork<Key, Result> = {
  readonly do: (key: Key, work: () => Promise<Result>) => Promise<Result>;
  /** The work that runs now for a key. */
  readonly now: (key: Key) => Promise<Result> | undefined;
  /** Resolves when everything that runs now has ended, well or not. */
  readonly settled: () => Promise<unknown>;
};

export function sharedWork<Key, Result>(): SharedWork<Key, Result> {
  const running = new Map<Key, Promise<Result>>();
  return {
    do: (key, work) => {
      const known = running.get(key);
      if (known !== undefined) return known;
      const started = work().finally(() => running.delete(key));
      running.set(key, started);
      return started;
    },
    now: (key) => running.get(key),
    settled: () => Promise.allSettled(running.values()),
  };
}

/**
 * Work that begins after the call, so that it sees what was so then; all who call before it begins
 * share it.
 */
export function sharedNext<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let before: Promise<unknown> = Promise.resolve();
  let next: Promise<Result> | undefined;
  const begin = (): Promise<Result> => {
    next = undefined;
    return work();
  };
  return () => {
    if (next !== undefined) return next;
    const following = before.then(begin, begin);
    next = following;
    before = following;
    return following;
  };
}
