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
