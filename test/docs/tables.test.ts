import { expect, test } from '@jest/globals';
import { markdownFiles, readMarkdown } from './sources/markdown.ts';

const RULE = /^\|(?: *:?-+:? *\|)+$/;

/** The rows of a page that no table has: readers see them as lines with bars. */
function strayRows(text: string): readonly string[] {
  const lines = text
    .replaceAll(/^```[\s\S]*?^```/gm, (fence) => fence.replaceAll(/.+/g, ''))
    .split('\n');
  let columns = 0;
  return lines.flatMap((line, at) => {
    if (!line.startsWith('|')) {
      columns = 0;
      return [];
    }
    const isHead = columns === 0 && RULE.test(lines[at + 1] ?? '') && lines[at + 2]?.[0] === '|';
    if (isHead) columns = barsIn(line);
    return columns > 0 && barsIn(line) === columns ? [] : [`${at + 1}: ${line}`];
  });
}

/** Bars behind a backslash belong to a cell. */
function barsIn(line: string): number {
  return line.replaceAll(String.raw`\|`, '').split('|').length - 1;
}

test('a row is stray without a head, a rule or an end, and behind an empty line', () => {
  const table = '| a | b |\n|---|---|\n| 1 | `x \\| y` |\n';
  expect(strayRows(`${table}\n\`\`\`sh\n| c\n\`\`\`\n`)).toEqual([]);
  expect(strayRows(`${table}| 2\n`)).toEqual(['4: | 2']);
  expect(strayRows(`${table}\n| 2 | 3 |\n`)).toEqual(['5: | 2 | 3 |']);
  expect(strayRows('| a |\n|---|\n\n| 1 |\n')).toEqual(['1: | a |', '2: |---|', '4: | 1 |']);
});

test('every row of a page belongs to a table', async () => {
  const pages = await Promise.all((await markdownFiles()).map(readMarkdown));
  const stray = pages.flatMap(({ file, text }) => strayRows(text).map((row) => `${file}:${row}`));
  expect(stray).toEqual([]);
});
