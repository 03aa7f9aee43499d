import { spawnSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import { markdownFiles, readMarkdown, type Fence, type Markdown } from './sources/markdown.ts';
import { looksLike, normalised, openShellSession } from './sources/shell-session.ts';

const MARK = '@@ next block of Python @@';

const pages: readonly Markdown[] = await Promise.all((await markdownFiles()).map(readMarkdown));
const withPython = pages
  .filter(({ fences }) => fences.some(isRun))
  .map((page) => [page.file, page] as const);

/** The tutorial needs Python with `requests`, which may be absent. */
const isHere = spawnSync('python3', ['-c', 'import requests']).status === 0;

/** Runs the Python blocks of a page as one program, next to a service. */
async function expectShown(page: Markdown): Promise<void> {
  const session = await openShellSession('npm start');
  try {
    const blocks = page.fences.filter(isRun);
    const program = blocks.map(({ text }) => text).join(`\nprint('${MARK}')\n`);
    const [output = ''] = await session.run([
      `python3 - <<'END OF PROGRAM'\n${program}\nEND OF PROGRAM`,
    ]);
    const printed = output.split(`${MARK}\n`);
    expect(printed).toHaveLength(blocks.length);
    const different = blocks.flatMap((block, index) => {
      const shown = shownBelow(page, block)?.text;
      const text = printed[index] ?? '';
      if (shown === undefined || looksLike(text, shown)) return [];
      return [{ place: `${page.file}:${block.line}`, printed: normalised(text), shown }];
    });
    expect(different).toEqual([]);
  } finally {
    await session.close();
  }
}

function isRun({ words }: Fence): boolean {
  return words[0] === 'python' && words.length === 1;
}

/** The output shown right below a block, if any. */
function shownBelow({ fences }: Markdown, block: Fence): Fence | undefined {
  const next = fences[fences.indexOf(block) + 1];
  return next?.words.includes('output') === true ? next : undefined;
}

describe('the Python of the documentation', () => {
  test('is found by the test of this page', () => {
    expect(withPython.map(([file]) => file)).toEqual(['docs/tutorials/python.md']);
  });

  (isHere ? test : test.skip).each(withPython)(
    '%s: every block runs, and prints what is shown (skipped without requests)',
    (_file, page) => expectShown(page),
  );
});
