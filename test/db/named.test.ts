import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FUNCTIONS = 'functions.sql';

/** The comments of a file, each paragraph in one line. */
function commentsOf(text: string): readonly string[] {
  return [...text.matchAll(/\/\*\*[\s\S]*?\*\/|\/\/.*(?:\n\s*\/\/.*)*/g)].map(([comment]) =>
    comment.replaceAll(/\s*\n\s*(?:\*|\/\/\/?)\s*/g, ' '),
  );
}

/** The functions that a comment says to be in prisma/functions.sql. */
function namedIn(comment: string): readonly string[] {
  return comment.includes(FUNCTIONS)
    ? [...comment.matchAll(/`([a-z][a-z_]+_[a-z_]+)`/g)].map(([, name = '']) => name)
    : [];
}

test('every function that a comment places in prisma/functions.sql is there', async () => {
  const functions = await readFile(join(ROOT, 'prisma', FUNCTIONS), 'utf8');
  const sources = (await readdir(join(ROOT, 'src'), { recursive: true, withFileTypes: true }))
    .filter(
      (entry) =>
        entry.isFile() && entry.name.endsWith('.ts') && !entry.parentPath.includes('generated'),
    )
    .map((entry) => join(entry.parentPath, entry.name));
  const found: string[] = [];
  let named = 0;
  for (const file of [...sources, join(ROOT, 'prisma/schema.prisma')]) {
    for (const name of commentsOf(await readFile(file, 'utf8')).flatMap(namedIn)) {
      named += 1;
      if (!functions.includes(`FUNCTION public.${name}(`))
        found.push(`${relative(ROOT, file)}: ${name}`);
    }
  }
  expect(found).toEqual([]);
  expect(named).toBeGreaterThan(20);
});
