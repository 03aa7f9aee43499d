/**
 * The known word nearest to a written one, if it is close enough to be a slip: `far` letters
 * differ, by default a third of them and at most 3.
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

/** The same as a question, as in `did you mean 'cores'?`. */
export function suggestion(written: string, known: readonly string[]): string | undefined {
  const best = suggest(written, known);
  return best === undefined ? undefined : `did you mean '${best}'?`;
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

/** `Max-Cores` and `max_cores` differ in style, not in five letters. */
function fold(word: string): string {
  return word.toLowerCase().replaceAll('-', '_');
}
