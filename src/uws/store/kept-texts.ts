/**
 * A client chooses the name by which it calls us (`Host`), and so how many
 * texts of one document there are.
 */
const MOST = 4;
/**
 * Longer ones are made each time: with 2,000 jobs, three documents each and four
 * names, more would fill the memory.
 */
const LONGEST = 16 * 1024;

/**
 * The text that was made for a key before, or a new one; of one document a few are
 * kept, however many keys there are.
 */
export function keptText(texts: Map<string, string>, key: string, make: () => string): string {
  const known = texts.get(key);
  if (known !== undefined) return known;
  const text = make();
  if (text.length > LONGEST) return text;
  if (texts.size >= MOST) texts.clear();
  texts.set(key, text);
  return text;
}
