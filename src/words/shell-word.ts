/** A word as /bin/sh reads it back unchanged. */
export function shellWord(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
