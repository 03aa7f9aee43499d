/**
 * Shares one piece of work among all callers within a time of its start, so that frequent calls
 * cost no more. The next caller repeats failed work.
 *
 * @param milliseconds for which an answer is valid
 * @param clock milliseconds, never going back
 */
export function sharedFor<Value>(
  milliseconds: number,
  clock: () => number,
  work: () => Promise<Value>,
): () => Promise<Value> {
  let last: { readonly at: number; readonly answer: Promise<Value> } | undefined;
  return () => {
    const now = clock();
    if (last !== undefined && now - last.at < milliseconds) return last.answer;
    const entry = { at: now, answer: work() };
    last = entry;
    entry.answer.catch(() => {
      if (last === entry) last = undefined;
    });
    return entry.answer;
  };
}
