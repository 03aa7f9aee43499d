import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { dump } from 'js-yaml';
import { writeYaml } from '../../../src/http/body/yaml-answer.ts';

const ODD = [
  '---',
  '...',
  'null',
  'true',
  'YES',
  'no',
  '1e3',
  '0x1f',
  '<<',
  '~',
  '=',
  '',
  '-',
  '- a',
  '? b',
  '2026-08-10',
  '10:20:30',
  '.inf',
  '+1',
  '0o7',
  '1_000',
  'two\nlines',
  '01a1fca5-d698-7d4e-9d0a-5b7c1c1e8f21',
  '2026-08-10T10:05:00.000Z',
  'http://a/b',
  'https://a:80',
  'http://a:',
  'a text of so many words that js-yaml folds it '.repeat(4),
];
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(...ODD),
  fc.webUrl(),
  fc.string({
    unit: fc.constantFrom(
      'a',
      ' ',
      ':',
      '-',
      '#',
      '0',
      '.',
      '"',
      "'",
      '\n',
      '\t',
      '[',
      '{',
      '\\',
      '\u00a0',
      '\u2028',
      '\ud800',
      '\r',
    ),
    maxLength: 12,
  }),
  fc.string({ unit: fc.constantFrom('word', ' '), minLength: 20, maxLength: 60 }),
);
const number = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(-0, 1e21, 1e-7));
const { document } = fc.letrec<{ document: unknown }>((tie) => ({
  document: fc.oneof(
    { maxDepth: 6 },
    text,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('document'), { maxLength: 4 }),
    fc.dictionary(text, tie('document'), { maxKeys: 4, noNullPrototype: true }),
    fc.record({ left: fc.constant(undefined), other: tie('document') }),
  ),
}));

describe('YAML answers', () => {
  test('are what js-yaml writes, character for character', () => {
    fc.assert(
      fc.property(fc.dictionary(text, document, { noNullPrototype: true }), (answer) => {
        expect(writeYaml(answer)).toBe(dump(answer, { lineWidth: 120, noRefs: true }));
      }),
      { numRuns: 1000 },
    );
  });
});
