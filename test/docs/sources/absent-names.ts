import type { Markdown } from './markdown.ts';

/**
 * A module of the standard library with missing names: `names` are these, or with `isOnly` the only
 * ones here.
 */
export type AbsentNames = {
  readonly module: string;
  readonly isOnly: boolean;
  readonly names: readonly string[];
};

/** The modules in the block `text names` of a page, in order. */
export function absentNames({ fences }: Markdown): readonly AbsentNames[] {
  const block = fences.find(({ words }) => words[0] === 'text' && words[1] === 'names')?.text ?? '';
  const lines = block
    .replaceAll(/\n {2}/g, ' ')
    .trim()
    .split('\n');
  return lines.map((line) => {
    const [, module = '', told, names = ''] = /^([\w.]+) (lacks|has only): (.+)$/.exec(line) ?? [];
    return { module, isOnly: told === 'has only', names: names.split(', ') };
  });
}
