/**
 * The known word nearest to what was written, if it is near enough to be a slip: a third of its
 * letters, at most 3. `far` is how many letters that may be otherwise.
 */
export function suggest(
  written: string,
  known: readonly string[],
  far = Math.min(3, Math.ceil(written.length / 3)),
): string | undefined {
  if (written.length > 60) return undefined;
  const near = known
    .map((word) => ({ word, steps: distance(fold(written), fold(word)) }))
    .filter(({ steps }) => steps <= far)
    .sort((a, b) => a.steps - b.steps);
  return near[0]?.word;
}

/** Levenshtein's distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** `Max-Cores` and `max_cores` are one slip of style, not five of spelling. */
function fold(word: string): string {
  return word.toLowerCase().replaceAll('-', '_');
}
