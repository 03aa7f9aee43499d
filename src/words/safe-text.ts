/** A word as /bin/sh reads it back unchanged. */
export function shellWord(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** A text of a client as one well-formed line, cut at a length, for records and logs. */
export function oneLine(text: string, longest: number): string {
  return text
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, longest)
    .toWellFormed();
}
