/** Tells which of some texts still shows the difference: its index, or -1. */
type StillDifferent = (texts: readonly string[]) => Promise<number>;

/** The smallest program found that still differs. */
export async function shrunk(program: string, isStill: StillDifferent): Promise<string> {
  let best = program;
  for (let round = 0; round < 15; round += 1) {
    const tries = candidates(best).slice(0, 120);
    const at = tries.length === 0 ? -1 : await isStill(tries);
    const next = tries[at];
    if (next === undefined) return best;
    best = next;
  }
  return best;
}

/** Shorter texts to try, the most radical first. */
function candidates(text: string): string[] {
  const lines = text.split('\n');
  const imports = lines.filter((line) => line.startsWith('import ')).join('\n');
  const without = lines.map((_, i) => lines.filter((__, j) => j !== i).join('\n'));
  const last = lines.at(-1) ?? '';
  const head = lines.slice(0, -1).join('\n');
  const inner = insides(text);
  const alone = inner.map((part) => `${imports}\n${part}`);
  const lastOnly = insides(last).map((part) => `${head}\n${part}`);
  const bare = inner.flatMap((part) => [
    text.replace(`(${part})`, part),
    text.replace(`(${part})`, '0'),
    text.replace(`(${part})`, "''"),
  ]);
  const emptied = inner.flatMap((part) => [
    text.replace(`[${part}]`, '[]'),
    text.replace(part, part.split(', ').slice(1).join(', ')),
  ]);
  const all = [...alone, ...without, ...lastOnly, ...emptied, ...bare];
  return [...new Set(all)]
    .filter((other) => other.length < text.length)
    .sort((a, b) => a.length - b.length);
}

/** Balanced parts of a text in brackets, without them. */
function insides(text: string): string[] {
  const open: number[] = [];
  const found: string[] = [];
  for (let i = 0; i < text.length; i += 1) {
    const c = text[i] ?? '';
    if ('([{'.includes(c)) open.push(i + 1);
    if (')]}'.includes(c)) {
      const from = open.pop();
      if (from !== undefined) found.push(text.slice(from, i));
    }
  }
  return found;
}
