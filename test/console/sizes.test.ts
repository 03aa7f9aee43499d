import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const BUILT = new URL('../../src/generated/console/', import.meta.url);
const KB = 1000;

test('the first script is at most 40 kB compressed, and all files together 150 kB', () => {
  const [first = ''] = /console\/(main-\w+\.js)/.exec(textOf('index.html'))?.slice(1) ?? [];
  const names = readdirSync(BUILT).filter((name) => /\.(?:js|css|html)$/.test(name));
  expect(names).toContain(first);
  expect(sizeOf([...withParts(first)])).toBeLessThanOrEqual(40 * KB);
  expect(sizeOf(names)).toBeLessThanOrEqual(150 * KB);
});

/** A script and what it imports before it runs; `import()` has a parenthesis. */
function withParts(name: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const [, part = ''] of textOf(name).matchAll(/(?:from|import)"\.\/(part-\w+\.js)"/g))
    withParts(part, found);
  return found;
}

function sizeOf(names: readonly string[]): number {
  return names.reduce((sum, name) => sum + readFileSync(new URL(`${name}.gz`, BUILT)).length, 0);
}

function textOf(name: string): string {
  return readFileSync(new URL(name, BUILT), 'utf8');
}
