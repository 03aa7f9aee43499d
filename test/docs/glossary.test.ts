import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readMarkdown, root } from './sources/markdown.ts';

const { text } = await readMarkdown('docs/reference/glossary.md');
const words = [...text.matchAll(/^\| ([a-zA-Z ]+) \| .+ \|$/gm)]
  .map(([, word = '']) => word)
  .filter((word) => word !== 'word');

describe('docs/reference/glossary.md', () => {
  test('has its words in alphabetical order, each once', () => {
    const sorted = [...new Set(words)].toSorted((one, other) =>
      one.localeCompare(other, 'en', { sensitivity: 'base' }),
    );
    expect(words).toEqual(sorted);
    expect(words.length).toBeGreaterThan(40);
  });

  test('has every word of the glossary of src/words', async () => {
    const source = await readFile(join(root, 'src/words/ids.ts'), 'utf8');
    const listed = [...source.matchAll(/^ \* - ([a-z ]+): /gm)].map(([, word = '']) => word);
    expect(listed.filter((word) => !words.includes(word))).toEqual([]);
    expect(listed.length).toBeGreaterThan(5);
  });

  test('says each word in at most two sentences', () => {
    const long = text.split('\n').filter((line) => (line.match(/[.] /g) ?? []).length > 2);
    expect(long).toEqual([]);
  });
});
