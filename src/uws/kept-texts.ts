/** A client chooses the name by which it calls us (`Host`), and so how many texts of one document there are. */
const MOST = 8;

/** The text that was made for a key before, or a new one; of one document a few are kept, however many keys there are. */
export const keptText = (texts: Map<string, string>, key: string, make: () => string): string => {
  const known = texts.get(key);
  if (known !== undefined) return known;
  if (texts.size >= MOST) texts.clear();
  const text = make();
  texts.set(key, text);
  return text;
};
