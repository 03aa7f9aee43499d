/** Remembers what follows from texts: the same ones come again, and some take long. */
export type Latest<Result> = (text: string, find: () => Result) => Result;

/** @param most characters of all texts that are remembered; the latest ones stay */
export function rememberLatest<Result>(most: number): Latest<Result> {
  const known = new Map<string, { readonly result: Result }>();
  let characters = 0;
  return (text, find) => {
    const before = known.get(text);
    if (before !== undefined) {
      // The latest stand last.
      known.delete(text);
      known.set(text, before);
      return before.result;
    }
    const result = find();
    if (text.length > most) return result;
    known.set(text, { result });
    characters += text.length;
    for (const oldest of known.keys()) {
      if (characters <= most) break;
      known.delete(oldest);
      characters -= oldest.length;
    }
    return result;
  };
}
