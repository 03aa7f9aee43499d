/**
 * Most texts of one document: a client chooses the name of the service in its links (`Host`), and
 * with it the number of texts.
 */
const MOST = 4;
/**
 * Longest text to keep, characters: 2,000 jobs with three documents under four names would
 * otherwise fill the memory.
 */
const LONGEST = 16 * 1024;

/**
 * Returns the text of a key, or makes it. Keeps a few texts of one document, however many keys
 * there are.
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
