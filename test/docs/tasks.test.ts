import { describe, expect, test } from '@jest/globals';
import { builtInEngines, runnersThat } from '../../src/runners/engine.ts';
import { BUILT_IN_TYPES } from '../../src/tasks/registry.ts';
import { readMarkdown } from './sources/markdown.ts';

const { text } = await readMarkdown('docs/reference/tasks.md');
const rows = new Map(
  [...text.matchAll(/^\| [^|]+ \| `([^`]+)` \| (`[^|]+) \|$/gm)].map(
    ([, type = '', runners = '']) =>
      [type, [...runners.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)] as const,
  ),
);

describe('docs/reference/tasks.md', () => {
  test.each(BUILT_IN_TYPES)('$name has a row with the runners that execute it', ({ name }) => {
    const executing = runnersThat(builtInEngines, ({ executes }) => executes[name])
      .split(/, | and /)
      .filter((runner) => runner !== '');
    expect(executing).not.toEqual([]);
    expect(rows.get(name)?.toSorted()).toEqual(executing.toSorted());
  });

  test('has no row of a type that is not built in', () => {
    expect([...rows.keys()].toSorted()).toEqual(BUILT_IN_TYPES.map(({ name }) => name).sort());
  });
});

describe('docs/guides/runners.md', () => {
  test('has a row for each runner, with a page', async () => {
    const page = await readMarkdown('docs/guides/runners.md');
    const linked = [...page.text.matchAll(/^\| \[`([^`]+)`\]\(runners\/\1\.md\) \|/gm)];
    expect(linked.map(([, name]) => name)).toEqual(builtInEngines.map(({ name }) => name));
  });
});
