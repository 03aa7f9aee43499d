import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { load } from 'js-yaml';
import { contractFaults } from '../harness/contract.ts';
import { examplesBelow } from './examples.ts';

const contract = Object(
  load(readFileSync(new URL('../../api/openapi.yaml', import.meta.url), 'utf8')),
);

describe('the contract', () => {
  const examples = examplesBelow(contract.paths, '');

  test('has examples for asking, answering and accepting', () => {
    expect(examples.length).toBeGreaterThanOrEqual(7);
  });

  test.each(examples)('keeps its own promises in the example at %s', (_, schema, document) => {
    expect(contractFaults(schema, document)).toEqual([]);
  });
});

test('YAML 1.1, which knows no plain text with a question mark in braces, reads the contract', () => {
  const lines = readFileSync(new URL('../../api/openapi.yaml', import.meta.url), 'utf8').split(
    '\n',
  );
  expect(lines.filter((line) => /\{[^'"}]*\w\?[ ,}]/.test(line))).toEqual([]);
});
