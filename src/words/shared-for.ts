/**
 * Does some work for all who ask within a time of its beginning: what anybody may ask as often as
 * he likes costs no more than that. Work that failed is done again for the next.
 *
 * @param milliseconds for which an answer holds
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
