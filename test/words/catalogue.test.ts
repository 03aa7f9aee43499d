import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect, test } from '@jest/globals';
import { JOB_ERRORS, PROBLEMS, REFUSALS } from '../../src/words/catalogue.ts';
import { root } from '../docs/sources/markdown.ts';

/** Files that have a line for each code, whether anybody says it or not. */
const TABLES = new Set([
  'src/words/catalogue.ts',
  'src/planner/reasons.ts',
  'src/planner/nearest/remedy.ts',
]);

async function textsOf(folders: readonly string[]): Promise<string> {
  const entries = await Promise.all(
    folders.map((folder) => readdir(join(root, folder), { recursive: true, withFileTypes: true })),
  );
  const files = entries
    .flat()
    .filter((entry) => entry.isFile() && /\.(?:ts|yml|sql)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((file) => !TABLES.has(file) && !file.startsWith('src/generated'));
  const texts = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')));
  return texts.join('\n');
}

const code = [
  await textsOf(['src', 'workers']),
  await readFile(join(root, 'prisma/functions.sql'), 'utf8'),
].join('\n');
const tests = await textsOf(['test']);

function isNamed(name: string, text: string): boolean {
  return new RegExp(String.raw`(?<![\w-])${name}(?![\w-])`).test(text);
}

test('the service says every code of the catalogue', () => {
  const codes = [REFUSALS, PROBLEMS, JOB_ERRORS].flatMap((catalogue) => Object.keys(catalogue));
  expect(codes.filter((one) => !isNamed(one, code))).toEqual([]);
});

test('a test expects every refusal', () => {
  expect(Object.keys(REFUSALS).filter((one) => !isNamed(one, tests))).toEqual([]);
});
