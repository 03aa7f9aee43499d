import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { markdownFiles, readMarkdown, root } from './sources/markdown.ts';

describe('docs/adr', () => {
  test('explains every dependency of package.json and no other', async () => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
      await readFile(join(root, 'package.json'), 'utf8'),
    );
    const { text } = await readMarkdown('docs/adr/0006-dependencies.md');
    const excuses = [...text.matchAll(/^- (`[^:]+):/gm)].flatMap(([, names = '']) =>
      [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    );
    expect(excuses.toSorted()).toEqual(
      Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }).sort(),
    );
  });

  test('has context, decision and consequences in every record', async () => {
    const records = (await markdownFiles()).filter((file) => file.startsWith('docs/adr/'));
    for (const { text } of await Promise.all(records.map(readMarkdown))) {
      expect([...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual([
        'Context',
        'Decision',
        'Consequences',
      ]);
    }
    expect(records.length).toBeGreaterThan(0);
  });
});
