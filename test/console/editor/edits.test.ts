import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { indented, newLine, outdented } from '../../../src/console/editor/edits.ts';

type Edit = typeof indented;

/** What a text with a selection between `<` and `>` is after an edit; one `^` is both. */
function edited(edit: Edit, marked: string): string {
  const both = marked.replace('^', '<>');
  const start = both.indexOf('<');
  const end = both.indexOf('>') - 1;
  const text = both.replace(/[<>]/g, '');
  const { from, to, text: put, start: first, end: last } = edit(text, start, end);
  const all = text.slice(0, from) + put + text.slice(to);
  return `${all.slice(0, first)}<${all.slice(first, last)}>${all.slice(last)}`.replace('<>', '^');
}

test.each([
  [indented, 'a^', 'a ^'],
  [indented, 'ab\n^', 'ab\n  ^'],
  [indented, 'a\n<b\n\nc>\nd', 'a\n  <b\n\n  c>\nd'],
  [indented, '<a\n>b', '  <a\n>b'],
  [outdented, '    a^', '  a^'],
  [outdented, ' ^a', '^a'],
  [outdented, '  <a\nb\n   c>', '<a\nb\n c>'],
  [outdented, '^', '^'],
  [newLine, 'a: 1^', 'a: 1\n^'],
  [newLine, 'a:^', 'a:\n  ^'],
  [newLine, '  - a: 1^', '  - a: 1\n    ^'],
  [newLine, '  - a^', '  - a\n  ^'],
  [newLine, 'source: |^', 'source: |\n  ^'],
  [newLine, '  a^: 1', '  a\n  ^: 1'],
  [newLine, 'a: <1>', 'a: \n  ^'],
] as const)('%p: %j becomes %j', (edit, before, after) => {
  expect(edited(edit, before)).toBe(after);
});

test('what Tab did to lines Shift+Tab takes back, selection too', () => {
  const line = fc.stringMatching(/^[a-z:]{1,5}$/);
  fc.assert(
    fc.property(fc.array(line, { minLength: 2, maxLength: 5 }), fc.nat(4), (lines, at) => {
      const text = lines.join('\n');
      const start = Math.min(at, text.length - 2);
      const there = indented(text, start, text.length);
      const changed = text.slice(0, there.from) + there.text + text.slice(there.to);
      const back = outdented(changed, there.start, there.end);
      expect(changed.slice(0, back.from) + back.text + changed.slice(back.to)).toBe(text);
      expect([back.start, back.end]).toEqual([start, text.length]);
    }),
  );
});
