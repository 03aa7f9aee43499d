import { expect, test } from '@jest/globals';
import { markdownFiles, prose, readMarkdown, type Markdown } from './markdown.ts';

/** A page that grows makes room elsewhere: readers look for one fact among all that is there. */
const MOST_WORDS = 30_000;

/** Words that somebody reads: outside of code, with a letter in them. */
function wordsIn(page: Markdown): number {
  return prose(page)
    .split(/\s+/)
    .filter((word) => /\p{L}/u.test(word)).length;
}

test('words are counted outside of code, and numbers are none', () => {
  const text = 'Two words\n\n```sh\nnot these\n```\n\n| `key` | 5 % |\n';
  expect(wordsIn({ file: 'a.md', text, fences: [] })).toBe(2);
});

test(`the documents have at most ${MOST_WORDS.toLocaleString('en')} words`, async () => {
  const files = (await markdownFiles()).filter((file) =>
    /^(?:docs\/.*|README\.md|CONTRIBUTING\.md)$/.test(file),
  );
  const pages = await Promise.all(files.map(readMarkdown));
  const all = pages.reduce((sum, page) => sum + wordsIn(page), 0);
  expect(all).toBeLessThanOrEqual(MOST_WORDS);
});
