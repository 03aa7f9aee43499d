import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { absentNames } from '../docs/sources/absent-names.ts';
import { readMarkdown, sectionOf } from '../docs/sources/markdown.ts';
import { compared } from './fuzz/compared.ts';
import { engineOutcome } from './fuzz/engine.ts';

const PROGRAMS = new URL('../../../shared/python/programs.jsonl.gz', import.meta.url);

/**
 * What is compared where the recorded programs are not at hand: the kinds of them
 * that were once answered otherwise.
 */
const SAMPLE: readonly (readonly [string, string])[] = [
  [
    'import random\nrandom.seed(7)\n[random.gauss(0, 1) for _ in range(2)]',
    '[-0.2558802884476004, 0.511431512516514]',
  ],
  ["import re\nre.sub('x*', r'\\1', 'abc')", 'error: invalid group reference 1 at position 1'],
  ["from urllib.parse import urljoin\nurljoin('http://a/b/c', '../d')", "'http://a/d'"],
  ['(1.5).__class__', "<class 'float'>"],
  ['import difflib\n1', '1'],
];

/** Where an answer may be another, by what docs/reference/python.md says of it in `backquotes`. */
const NAMED: readonly (readonly [string, (program: string, ours: string) => boolean])[] = [
  ...['fractions', 'difflib', 'weakref', 'json.encoder', 'test.support'].map(
    (name) =>
      [
        name,
        (_, ours) => ours === `ModuleNotFoundError: No module named '${name}'`,
      ] satisfies (typeof NAMED)[number],
  ),
  ['bytearray', (_, ours) => ours === "NameError: name 'bytearray' is not defined"],
  ['eval', (_, ours) => ours.startsWith('NotImplementedError: eval() is not available')],
  ['hash', (program) => /\b(?:hash|id)\(|map\(id,/.test(program)],
  ['dir', (program) => /\bdir\(/.test(program)],
  [
    'gi_code',
    (_, ours) => /^AttributeError: 'generator' object has no attribute 'gi_\w+'/.test(ours),
  ],
  [
    '_name',
    (_, ours) =>
      /^ImportError: cannot import name '(?:_\w+|Decimal|Fraction|bin|T)' from '(?:statistics|enum|typing)'/.test(
        ours,
      ),
  ],
];
/** A name of a module that the table of what is not there has. */
const ABSENT = /^ImportError: cannot import name '(\w+)' from '([\w.]+)'/;

function programs(): readonly (readonly [string, string])[] {
  if (!existsSync(PROGRAMS)) return SAMPLE;
  const lines = gunzipSync(readFileSync(PROGRAMS)).toString().trim().split('\n');
  return lines.map((line) => {
    const row: unknown = JSON.parse(line);
    return Array.isArray(row) ? [String(row[0]), String(row[1])] : ['', ''];
  });
}

const page = await readMarkdown('docs/reference/python.md');
const section = sectionOf(page, '### Where it is less than CPython');
const absent = absentNames(page);

function isTold(name: string): boolean {
  return section.includes(`\`${name}\``);
}

function isNamed(program: string, ours: string): boolean {
  const [, name = '', module = ''] = ABSENT.exec(ours) ?? [];
  return (
    (name !== '' && isToldOf(module, name)) || NAMED.some(([, applies]) => applies(program, ours))
  );
}

function isToldOf(module: string, name: string): boolean {
  const told = absent.find((one) => one.module === module);
  return told !== undefined && told.names.includes(name) !== told.isOnly;
}

describe('programs of administrators', () => {
  test('have the answers of CPython 3.11, but for what the docs name', () => {
    const different = programs().flatMap(([program, theirs]) => {
      const ours = engineOutcome(program);
      return compared(program, ours, theirs, false).kind !== 'different' || isNamed(program, ours)
        ? []
        : [{ program, ours, theirs }];
    });
    expect(different).toEqual([]);
  });
  test('what may differ is named in docs/reference/python.md', () => {
    expect(NAMED.map(([name]) => name).filter((name) => !isTold(name))).toEqual([]);
  });
  test('a wrong answer would be noticed', () => {
    expect(isNamed('1 + 1', '3')).toBe(false);
    expect(compared('1 + 1', engineOutcome('1 + 1'), '3', false).kind).toBe('different');
    expect(isNamed('', "ImportError: cannot import name 'loads' from 'json'")).toBe(false);
  });
});
