/** A word as /bin/sh reads it back unchanged. */
export const quote = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;
