/**
 * How much time has passed, by a clock that somebody may set: a clock that was put back goes on
 * from there, so that what holds for minutes does not hold for hours.
 *
 * @param clock milliseconds since 1970
 * @returns milliseconds since the first look, never going back
 */
export function steadyClock(clock: () => number): () => number {
  let before = clock();
  let passed = 0;
  return () => {
    const now = clock();
    passed += Math.max(0, now - before);
    before = now;
    return passed;
  };
}
