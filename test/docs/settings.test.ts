import { describe, expect, test } from '@jest/globals';
import { firstColumn, readMarkdown, sectionOf } from './sources/markdown.ts';
import { settingNames } from './sources/setting-names.ts';

describe('docs/reference/settings.md', () => {
  test('describes every environment variable that the settings read, once, and no other', async () => {
    const page = await readMarkdown('docs/reference/settings.md');
    expect(firstColumn(sectionOf(page, '## Environment')).toSorted()).toEqual(
      [...settingNames()].sort(),
    );
  });
});
