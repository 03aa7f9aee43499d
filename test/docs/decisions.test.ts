import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { markdownFiles, readMarkdown, root } from './sources/markdown.ts';

/** Begins what the Python client depends on, below what npm installs. */
const OF_PYTHON = 'Of the Python client';

/** The packages that the record explains, of npm and of Python. */
async function explained(): Promise<readonly [readonly string[], readonly string[]]> {
  const { text } = await readMarkdown('docs/adr/0006-dependencies.md');
  const [ofNpm = '', ofPython = ''] = text.split(`\n${OF_PYTHON}`);
  return [namesIn(ofNpm), namesIn(ofPython)];
}

function namesIn(text: string): readonly string[] {
  return [...text.matchAll(/^- (`[^:]+):/gm)]
    .flatMap(([, names = '']) => [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
    .toSorted();
}

describe('docs/adr', () => {
  test('explains every dependency of package.json and no other', async () => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
      await readFile(join(root, 'package.json'), 'utf8'),
    );
    const [ofNpm] = await explained();
    expect(ofNpm).toEqual(
      Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }).sort(),
    );
  });

  test('explains every dependency of the Python client and no other', async () => {
    const manifest = await readFile(join(root, 'clients/python/pyproject.toml'), 'utf8');
    const tests = await readFile(join(root, 'clients/python/tests/requirements.txt'), 'utf8');
    const lists = [...manifest.matchAll(/^(?:requires|dependencies|\w+) = (\[[^\]]*\])$/gm)];
    const wanted = lists.map(([, list = '']) => list.replaceAll('"', '\n')).join('\n');
    const required = [...`${wanted}\n${tests}`.matchAll(/^([A-Za-z][\w-]*)[<>=]=?\d/gm)];
    const names = new Set(required.map(([, name = '']) => name));
    const [, ofPython] = await explained();
    expect([...names].toSorted()).toEqual(ofPython);
    expect(names.size).toBeGreaterThan(10);
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
