/** Waits. @throws the reason of the signal */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done, fail) => {
    if (signal?.aborted === true) return fail(signal.reason);
    const leave = (): void => {
      clearTimeout(timer);
      fail(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', leave);
      done();
    }, ms);
    signal?.addEventListener('abort', leave, { once: true });
  });
}

/**
 * Milliseconds before the next try, by the number of tries before: half a second, doubled each
 * time. Up to a half is left out, so that clients of a service that begins again do not come at
 * once.
 */
export function backoff(tries: number): number {
  return 500 * 2 ** tries * (1 - Math.random() / 2);
}

const MOST_WANTED_MS = 60_000;

/**
 * Milliseconds for which a service that is to come back wants to be left alone: a minute at most,
 * since it may be back sooner. undefined: it does not say, or says "at once", which would be a tight
 * loop.
 */
export function wantedPause(retryAfter: number | undefined): number | undefined {
  return retryAfter ? Math.min(MOST_WANTED_MS, retryAfter * 1000) : undefined;
}

/** A signal that ends with another one, and by itself when nobody winds it up for some time. */
export type Patience = {
  readonly signal: AbortSignal;
  /** something came */
  readonly windUp: () => void;
  readonly close: () => void;
};

/** Timers of JavaScript know no longer time. */
const LONGEST_MS = 2 ** 31 - 1;

/** @param ms for which nothing may come */
export function openPatience(ms: number, outer?: AbortSignal): Patience {
  const stop = new AbortController();
  const leave = (): void => stop.abort(outer?.reason);
  const late = (): void => stop.abort(new DOMException('nothing came', 'TimeoutError'));
  const begin = (): ReturnType<typeof setTimeout> | undefined =>
    ms > LONGEST_MS ? undefined : setTimeout(late, ms);
  let timer = begin();
  if (outer?.aborted === true) leave();
  outer?.addEventListener('abort', leave, { once: true });
  return {
    signal: stop.signal,
    windUp: () => {
      clearTimeout(timer);
      timer = begin();
    },
    close: () => {
      clearTimeout(timer);
      outer?.removeEventListener('abort', leave);
    },
  };
}
