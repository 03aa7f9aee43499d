/** Blocks of statements, separated by a line of three hyphens. */
export function blocks(text: string): readonly string[] {
  return text
    .split('\n---\n')
    .map((block) => block.trim())
    .filter((block) => block !== '');
}
