import { expect, test } from '@jest/globals';
import { clientVenv, EVERYTHING, missingIndex } from '../clients/venv.ts';
import { withEngine } from '../engines/summary.ts';
import { markdownFiles, readMarkdown, type Markdown } from './sources/markdown.ts';
import { differencesInPython, isPython } from './sources/python-session.ts';
import { openShellSession } from './sources/shell-session.ts';

const TUTORIAL = 'docs/tutorials/python.md';
/** test/clients/packages.long.test.ts runs the one of the package. */
const PAGES = ['clients/python/README.md', TUTORIAL];

const pages: readonly Markdown[] = await Promise.all((await markdownFiles()).map(readMarkdown));

test('the pages with Python are known to the tests that run them', () => {
  const found = pages.filter(({ fences }) => fences.some(isPython)).map(({ file }) => file);
  expect(found).toEqual(PAGES);
});

withEngine(`the Python of ${TUTORIAL}`, missingIndex(), () => {
  test('runs with the client and matplotlib, and prints what is shown', async () => {
    const page = await readMarkdown(TUTORIAL);
    const python = await clientVenv(EVERYTHING);
    const session = await openShellSession('npm start');
    try {
      expect(await differencesInPython(page, python, session)).toEqual([]);
    } finally {
      await session.close();
    }
  });
});
