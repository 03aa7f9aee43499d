import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('..', import.meta.url));
const DECLARED =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const|function\*?|type|class|interface|enum) (\w+)/gm;

/** Names that more than one folder may declare. The list only shrinks. */
const ALLOWED: readonly string[] = [];

/** The console is another program, which imports none of the service's files. */
const PROGRAMS = [
  ['the service', 'src', (file: string) => !file.startsWith('src/console/'), 2000],
  ['the console', 'src', (file: string) => file.startsWith('src/console/'), 50],
  ['the client', 'clients/typescript/src', () => true, 50],
] as const;

test.each(PROGRAMS)('one exported name of %s is declared in one folder', async (...program) => {
  const [, folder, isOf, least] = program;
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((file) => !file.startsWith('src/generated') && isOf(file));
  const folders = new Map<string, Set<string>>();
  for (const file of files) {
    const text = await readFile(join(root, file), 'utf8');
    for (const [, name = ''] of text.matchAll(DECLARED)) {
      folders.set(name, (folders.get(name) ?? new Set()).add(dirname(file)));
    }
  }
  const shared = [...folders].filter(([, places]) => places.size > 1);
  expect(folders.size).toBeGreaterThan(least);
  expect(shared.map(([name, places]) => `${name}: ${[...places].join(', ')}`)).toEqual(ALLOWED);
});
