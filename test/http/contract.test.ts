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

test('has the 413 of every body and the 404 of every name in a path', () => {
  const lacking: string[] = [];
  for (const [path, item] of Object.entries(contract.paths))
    for (const method of ['get', 'post', 'put', 'delete']) {
      const { responses, requestBody } = Object(Object(item)[method]);
      if (responses === undefined) continue;
      if (path.includes('{') && !('404' in responses)) lacking.push(`${method} ${path}: 404`);
      if (requestBody !== undefined && !('413' in responses))
        lacking.push(`${method} ${path}: 413`);
    }
  expect(lacking).toEqual([]);
});

test('YAML 1.1, which knows no plain text with a question mark in braces, reads the contract', () => {
  const lines = readFileSync(new URL('../../api/openapi.yaml', import.meta.url), 'utf8').split(
    '\n',
  );
  expect(lines.filter((line) => /\{[^'"}]*\w\?[ ,}]/.test(line))).toEqual([]);
});

// A comma ends a plain text in braces: the rest of a description would be a key without a value.
test('every key of the contract has a value, except in examples', () => {
  const empty: string[] = [];
  const look = (value: unknown, at: string): void => {
    if (value === null) empty.push(at);
    if (typeof value !== 'object') return;
    for (const [key, one] of Object.entries(Object(value)))
      if (!['example', 'examples'].includes(key)) look(one, `${at}/${key}`);
  };
  look(contract, '#');
  expect(empty).toEqual([]);
});
