import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Labels and sections of papers that readers do not have. Specifications are cited by name: UWS §
 * 2.2.1.
 */
const PRIVATE = [
  /\((?:[RS]|EP|EB)\d+[,;) ]/,
  /\b(?:draft 2023|2023 draft|seed draft),? (?:S|L)\d+/,
  /\b(?:tpv-engine|execution-backends|wire-examples|performance-reliability-security|findings-2)\b/,
  /\b(?:product|execution-planner|uws|rooms)\.md\b/,
  /\.\.\/shared\/design/,
];
/**
 * A section of an internal description of TPV, whose own documentation has no such numbers. In
 * documents they are figures.
 */
const SECTION = /\s\([1-5]\.\d{1,2}(?:, [1-5]\.\d{1,2})*[;)]/;

function isPrivate(path: string, line: string): boolean {
  return (
    PRIVATE.some((pattern) => pattern.test(line)) || (!path.endsWith('.md') && SECTION.test(line))
  );
}

/** Landed migrations never change. */
function filesIn(path: string): readonly string[] {
  if (!statSync(join(ROOT, path)).isDirectory()) return [path];
  return readdirSync(join(ROOT, path))
    .filter((name) => name !== 'generated' && name !== 'migrations')
    .flatMap((name) => filesIn(join(path, name)));
}

/** The text for people in a file: comments, or all of a document. */
function saidIn(path: string): readonly string[] {
  const lines = readFileSync(join(ROOT, path), 'utf8').split('\n');
  return /\.(?:md|yaml)$/.test(path)
    ? lines
    : lines.filter((line) => /\/\/|\/\*|^\s*\*|--|#|"""/.test(line));
}

test('banned words are found', () => {
  const banned = [
    '// as it must be (R8).',
    '/** The tags (1.7, 1.12). */',
    '// see product.md, States',
    ' * a container (2023 draft, S15)',
  ];
  expect(banned.filter((line) => !isPrivate('src/x.ts', line))).toEqual([]);
  expect(
    ['// UWS § 2.2.1', '// overlays of kernel 5.13', '// x(1.5)'].filter((line) =>
      isPrivate('src/x.ts', line),
    ),
  ).toEqual([]);
});

test('no text cites a document that its readers do not have', () => {
  const found = [
    'src',
    'workers',
    'scripts',
    'prisma',
    'api',
    'docs',
    'README.md',
    'SECURITY.md',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
  ]
    .flatMap((path) => filesIn(path))
    .filter((path) => /\.(?:ts|mjs|js|html|sql|prisma|yaml|yml|md)$/.test(path))
    .flatMap((path) =>
      saidIn(path)
        .filter((line) => isPrivate(path, line))
        .map((line) => `${path}: ${line.trim().slice(0, 160)}`),
    );
  expect(found).toEqual([]);
});
