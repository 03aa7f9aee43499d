import { describe, expect, test } from '@jest/globals';
import { readSite } from '../../src/site/read.ts';
import { loadRules } from '../../src/vortex/index.ts';
import {
  firstColumn,
  markdownFiles,
  readMarkdown,
  root,
  type Fence,
  type Markdown,
} from './sources/markdown.ts';

const PROBE = 'zzzzzzzz';
/** No key takes a list of lists. */
const NONSENSE = [[[PROBE]]];

/** What a place needs beside any key, without which nobody reads the key. */
const NEEDED: Readonly<Record<string, object>> = {
  'rules[]': { url: 'https://example.org/rules.yml' },
  'storage[]': { name: 'a', type: 's3' },
  'identity.oidc[]': { issuer: 'https://example.org', audience: 'planner' },
  'registry.contact': { name: 'A person' },
  'destinations.<id>.maintenance[]': { start: '2026-10-20T02:00' },
};
/** What a key needs, where that is something else. */
const NEEDED_BY: Readonly<Record<string, object>> = {
  'storage[].path': { name: 'a', type: 'directory' },
};

/** A value of a key, and how the documentation writes paths inside it. */
const SHAPES: readonly { readonly wrap: (inner: object) => object; readonly suffix: string }[] = [
  { wrap: (inner) => inner, suffix: '' },
  { wrap: (inner) => ({ anything: inner }), suffix: '.<id>' },
  { wrap: (inner) => [inner], suffix: '[]' },
];

/** A key that has no keys below it: its path, and a site file that has a value there. */
type Leaf = { readonly path: string; readonly siteWith: (value: unknown) => object };

/** The keys that the reader lists when it finds an unknown one, and those below them. */
function keysBelow(place: (inner: object) => object, path: string): readonly Leaf[] {
  const reading = readSite('site.yml', JSON.stringify(place({ [PROBE]: 1 })));
  const problems = reading.ok ? [] : reading.problems;
  const hint =
    problems.find(({ message }) => message.includes(`'${PROBE}'`) && message.includes('has no key'))
      ?.hint ?? '';
  const known = /^known keys: (.+)$/.exec(hint)?.[1]?.split(', ') ?? [];
  return known.flatMap((key) => {
    const at = path === '' ? key : `${path}.${key}`;
    const siteWith = (value: unknown): object =>
      place({ ...(NEEDED_BY[at] ?? NEEDED[path]), [key]: value });
    const inner = SHAPES.flatMap(({ wrap, suffix }) =>
      keysBelow((value) => siteWith(wrap(value)), `${at}${suffix}`),
    );
    return inner.length === 0 ? [{ path: at, siteWith }] : inner;
  });
}

const pages: readonly Markdown[] = await Promise.all((await markdownFiles()).map(readMarkdown));
function examples(kind: string): readonly (readonly [place: string, fence: Fence])[] {
  return pages.flatMap(({ file, fences }) =>
    fences
      .filter(({ words }) => words[0] === 'yaml' && words[1] === kind)
      .map((fence) => [`${file}:${fence.line}`, fence] as const),
  );
}

const leaves = keysBelow((inner) => inner, '');

describe('docs/reference/site-file.md', () => {
  test('describes every key of the site file once and no other', async () => {
    const page = await readMarkdown('docs/reference/site-file.md');
    expect(firstColumn(page.text).toSorted()).toEqual(leaves.map(({ path }) => path).toSorted());
  });

  test.each(leaves)('$path is read: nonsense there is a problem', ({ siteWith }) => {
    const text = JSON.stringify(siteWith(NONSENSE));
    const begin = text.indexOf(JSON.stringify(NONSENSE));
    const reading = readSite('site.yml', text);
    const problems = reading.ok ? [] : reading.problems;
    // A list, an item of it, or an item of that.
    const isThere = problems.some(({ column }) => begin < column && column <= begin + 3);
    expect(isThere ? 'read' : problems).toBe('read');
  });

  test.each(examples('site'))('the site file of %s is accepted', (_place, { text }) => {
    const reading = readSite(`${root}site.yml`, text);
    expect(reading.ok ? [] : reading.problems).toEqual([]);
  });

  test.each(examples('site'))('each destination of %s has room for a task', (_place, { text }) => {
    const reading = readSite(`${root}site.yml`, text);
    if (!reading.ok) throw new Error('the site has problems');
    const { defaults, destinations } = reading.site;
    const full = [...destinations.values()].filter(
      ({ capacity }) => capacity.cores < defaults.cores || capacity.scratch < defaults.scratch,
    );
    expect(full.map(({ id }) => id)).toEqual([]);
  });
});

describe('docs/reference/rule-files.md', () => {
  test.each(examples('rules'))(
    'the rule file of %s is accepted without a warning',
    (_place, { text }) => {
      const result = loadRules([{ name: 'rules.yml', text }], 'digest');
      expect(result.ok ? result.warnings : result.problems).toEqual([]);
    },
  );

  test('has examples to check', () => {
    expect([examples('site').length, examples('rules').length].every((count) => count > 0)).toBe(
      true,
    );
  });
});
