import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { load } from 'js-yaml';
import { readDocument } from '../../../src/http/body/document.ts';

function read(json: string): unknown {
  return readDocument(Buffer.from(json), 'json');
}

describe('A JSON body', () => {
  test('reads the same as its YAML', () => {
    const usable = fc
      .jsonValue()
      .map((value) => JSON.stringify({ value }))
      .filter((json) => !/"(?:__proto__|constructor|prototype)"/.test(json));
    fc.assert(
      fc.property(usable, (json) => {
        expect(read(json)).toEqual(load(json));
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ['{"a": 1, "a": 2}'],
    ['{"a": {"b": 1, "\\u0062": 1}}'],
    ['[{"a\\":": ":", "c": 0, "c" : 1}]'],
  ])('with a key given twice is refused with its place: %s', (json) => {
    expect(() => read(json)).toThrow(/duplicated mapping key \(line 1, column \d+\)/);
  });

  test('may have texts that look like keys', () => {
    expect(read('{"a": "\\"a\\": 1, \\"a\\": 2", "b": ":"}')).toEqual({
      a: '"a": 1, "a": 2',
      b: ':',
    });
  });

  test('may have one text with millions of escapes, such as a notebook sent as a text', () => {
    const text = '"\\\n'.repeat(2_000_000);
    expect(read(JSON.stringify({ text, 'a"b': 1 }))).toEqual({ text, 'a"b': 1 });
  });

  test.each(['json', 'yaml'] as const)(
    'with a whole number that would be another one is refused with its place: %s',
    (format) => {
      const of = (value: string): unknown =>
        readDocument(Buffer.from(`{"inputs": {"star": [1, ${value}]}}`), format);
      for (const id of ['5853498713190525696', '-9007199254740993', '9007199254740994000000'])
        expect(() => of(id)).toThrow(`inputs.star[1], ${id} is longer than numbers are kept`);
      for (const value of [
        '9007199254740991',
        '10000000000000000',
        '3.8e33',
        '0.12345678901234567',
      ])
        expect(of(value)).toEqual({ inputs: { star: [1, Number(value)] } });
      expect(of('"5853498713190525696"')).toEqual({ inputs: { star: [1, '5853498713190525696'] } });
    },
  );

  test('with such a number is refused in XML, too', () => {
    const of = (star: string): unknown =>
      readDocument(Buffer.from(`<star json="number">${star}</star>`), 'xml');
    expect(() => of('5853498713190525696')).toThrow('star, 5853498713190525696 is longer');
    expect(of('3.8e33')).toEqual({ star: 3.8e33 });
  });

  test('may have any numbers in a notebook, such as those that it printed before', () => {
    const content = (id: string): string =>
      `{"content": {"cells": [{"outputs": [{"data": {"star": ${id}}}]}]}}`;
    for (const id of ['5853498713190525696', '-9007199254740993'])
      expect(read(content(id))).toEqual(JSON.parse(content(id)));
  });

  test('of absurd depth is refused, however deep', () => {
    expect(read('['.repeat(25) + ']'.repeat(25))).toHaveLength(1);
    for (const depth of [31, 100_000])
      expect(() => read('['.repeat(depth) + ']'.repeat(depth))).toThrow(/nesting exceeded/);
  });

  test('with a number that is too large is refused', () => {
    expect(() => read('{"a": 1e400}')).toThrow(/at a, Infinity is not a JSON number/);
  });
});
