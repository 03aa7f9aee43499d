import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { markdownFiles, readMarkdown, root } from './sources/markdown.ts';

const pages = await Promise.all(
  (await markdownFiles()).filter((file) => !file.startsWith('test/')).map(readMarkdown),
);
/** The changelog names files that no longer exist. */
const current = pages.filter(({ file }) => file !== 'CHANGELOG.md');

/** Paths from the project's root; `<name>` and `*` stand for many files. */
const FROM_ROOT = /(?<![\w./@-])(?:src|test|prisma|workers|scripts|api)\/[\w./<>*-]+/g;
/** Paths below `src` in code: `vortex/consider.ts`. */
const BELOW_SRC = /`([a-z][\w-]*\/[\w./-]+\.ts)`/g;
const TOP = /^(?:src|test|prisma|workers|scripts|api|docs)\//;

function missing(text: string): readonly string[] {
  const fromRoot = [...text.matchAll(FROM_ROOT)].flatMap(([path]) => lookedFor(path) ?? []);
  const belowSrc = [...text.matchAll(BELOW_SRC)].flatMap(([, path = '']) =>
    TOP.test(path) ? [] : `src/${path}`,
  );
  return [...fromRoot, ...belowSrc].filter((path) =>
    ['', '.ts', '.test.ts', '.long.test.ts'].every(
      (ending) => !existsSync(join(root, `${path}${ending}`)),
    ),
  );
}

/** @returns the path to look for; undefined for a pattern of many files */
function lookedFor(path: string): string | undefined {
  return /[<>*]/.test(path) ? undefined : path.replace(/[./-]+$/, '');
}

/** Documents that code names. */
const DOCUMENT = /(?<![\w./-])docs\/[\w./-]+\.md\b/g;

/** Files of code with comments, messages and titles for people. */
async function codeFiles(): Promise<readonly string[]> {
  const folders = ['src', 'workers', 'scripts', 'test', 'api', 'prisma'];
  const found = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(join(root, folder), { recursive: true })).map((name) => join(folder, name)),
    ),
  );
  return found.flat().filter((name) => /\.(?:ts|mjs|js|yml|yaml|prisma|sql)$/.test(name));
}

describe('documents that code and the changelog name', () => {
  test('exist', async () => {
    const files = [...(await codeFiles()), 'docker-compose.yml', 'CHANGELOG.md'];
    const named = await Promise.all(
      files.map(async (file) => [file, await readFile(join(root, file), 'utf8')] as const),
    );
    const gone = named.flatMap(([file, text]) =>
      [...text.matchAll(DOCUMENT)]
        .filter(([path]) => !existsSync(join(root, path)))
        .map(([path]) => `${file}: ${path}`),
    );
    expect(gone).toEqual([]);
  });
});

describe('paths in the documents', () => {
  test('are found', () => {
    expect(
      missing(
        'see `src/none.ts`, test/none/ and `planner/none.ts`, but src/main.ts and `planner/ask.ts`',
      ),
    ).toEqual(['src/none.ts', 'test/none', 'src/planner/none.ts']);
  });

  test.each(current.map(({ file, text }) => [file, text] as const))('exist: %s', (_file, text) => {
    // Answers and rule files on pages have other paths.
    expect(missing(text.replaceAll(/^```(?!sh\b|text\n)[\s\S]*?^```/gm, ''))).toEqual([]);
  });
});
