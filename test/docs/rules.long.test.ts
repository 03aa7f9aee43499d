import { describe, expect, test } from '@jest/globals';
import { lint } from '../../src/vortex/tools/lint.ts';
import { markdownFiles, readMarkdown } from './sources/markdown.ts';
import { commandsOf, openPage } from './sources/rules-page.ts';
import { looksLike, normalised } from './sources/shell-session.ts';

const pages = await Promise.all((await markdownFiles()).map(readMarkdown));
const withCommands = pages
  .filter((page) => commandsOf(page).length > 0)
  .map((page) => [page.file, page] as const);

const examples = pages.flatMap(({ file, fences }) =>
  fences
    .filter(({ words }) => words[0] === 'yaml' && words[1] === 'rules')
    .map(({ line, text }) => [`${file}:${line}`, text] as const),
);

test.each(examples)(
  'the rule file of %s uses only names that are defined where it uses them',
  (_place, text) => {
    const report = lint([{ name: 'rules.yml', text }], new Set());
    const findings = report.kind === 'linted' ? report.findings : report.problems;
    expect(findings.filter(({ code }) => !['T101', 'T102', 'T201'].includes(code ?? ''))).toEqual(
      [],
    );
  },
);

describe('the commands on the rule files of the documentation', () => {
  test.each(withCommands)('%s: every command prints what the page shows', async (file, page) => {
    const folder = await openPage(page);
    try {
      const different = [];
      for (const { line, command, shown } of commandsOf(page)) {
        const printed = await folder.run(command);
        if (!looksLike(printed, shown))
          different.push({
            place: `${file}:${line}`,
            command,
            printed: normalised(printed),
            shown,
          });
      }
      expect(different).toEqual([]);
    } finally {
      await folder.close();
    }
  });

  test('are on every page about rules', () => {
    const silent = pages.filter(
      (page) => page.file.startsWith('docs/guides/rules/') && commandsOf(page).length === 0,
    );
    expect(silent.map(({ file }) => file)).toEqual([]);
    expect(withCommands.length).toBeGreaterThan(0);
  });
});
