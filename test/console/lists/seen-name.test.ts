import { expect, test } from '@jest/globals';
import { seenName } from '../../../src/console/lists/seen-name.ts';

test('a name that nobody could see or click is none', () => {
  const shown = ['M 31', ' x', '7', '🚀', '<b>', 'مرحبا', '\u202Ea'];
  expect(shown.map(seenName)).toEqual(shown);
  const unseen = ['', '   ', '\u00A0', '\u200B', '\u202E\u202C', null, undefined];
  expect(unseen.map(seenName)).toEqual(unseen.map(() => undefined));
});
