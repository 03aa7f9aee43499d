/**
 * Shares one piece of work among all callers within a time of its start, so that frequent calls
 * cost no more. The next caller repeats failed work.
 *
 * @param milliseconds for which an answer is valid
 * @param clock milliseconds, never going back
 * @param basis what an answer rests on: with another one, the work is done again
 */
export function sharedFor<Value>(
  milliseconds: number,
  clock: () => number,
  work: () => Promise<Value>,
  basis: () => unknown = () => undefined,
): () => Promise<Value> {
  let last: { at: number; basis: unknown; answer: Promise<Value> } | undefined;
  return () => {
    const [now, under] = [clock(), basis()];
    if (last !== undefined && last.basis === under && now - last.at < milliseconds)
      return last.answer;
    const entry = { at: now, basis: under, answer: work() };
    last = entry;
    entry.answer.catch(() => {
      if (last === entry) last = undefined;
    });
    return entry.answer;
  };
}

/** Work that takes longer is slow, ms. */
const SLOW_MS = 1000;
/** The answer of slow work is valid so many times as long as the work took. */
const TIMES = 10;

/**
 * Shares work among all who call while it is done and, where it is slow, for ten times as long
 * afterwards, so that calls on an interval take a tenth of the time at most. The next caller repeats
 * failed work.
 *
 * @param clock milliseconds, never going back
 */
export function sharedIfSlow<Value>(
  clock: () => number,
  work: () => Promise<Value>,
): () => Promise<Value> {
  let last: { until: number; readonly answer: Promise<Value> } | undefined;
  return () => {
    const begun = clock();
    if (last !== undefined && begun < last.until) return last.answer;
    const entry = { until: Number.POSITIVE_INFINITY, answer: work() };
    last = entry;
    entry.answer.then(
      () => {
        const took = clock() - begun;
        entry.until = took < SLOW_MS ? 0 : clock() + TIMES * took;
      },
      () => {
        entry.until = 0;
      },
    );
    return entry.answer;
  };
}
