/** Blocks of statements, separated by a line of three hyphens. */
export const blocks = (text: string): readonly string[] =>
  text
    .split('\n---\n')
    .map((block) => block.trim())
    .filter((block) => block !== '');
