import { expect, test } from '@jest/globals';
import { markdownFiles, readMarkdown, type Markdown } from './sources/markdown.ts';

/** If a page grows, another must shrink: readers search all of them for one fact. */
const MOST_WORDS = 30_000;

/** Words outside of fenced code, with a letter or a digit. */
function wordsIn({ text }: Markdown): number {
  return text
    .replaceAll(/^```[\s\S]*?^```/gm, '')
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

test('words are counted outside of fenced code, code within a sentence among them', () => {
  const text = 'Two words\n\n```sh\nnot these\n```\n\n| `key` | 5 % |\n';
  expect(wordsIn({ file: 'a.md', text, fences: [] })).toBe(4);
});

test(`the documents have at most ${MOST_WORDS.toLocaleString('en')} words`, async () => {
  const files = (await markdownFiles()).filter((file) =>
    /^(?:docs\/.*|README\.md|CONTRIBUTING\.md)$/.test(file),
  );
  const pages = await Promise.all(files.map(readMarkdown));
  const all = pages.reduce((sum, page) => sum + wordsIn(page), 0);
  expect(all).toBeLessThanOrEqual(MOST_WORDS);
});
