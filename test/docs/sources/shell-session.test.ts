import { describe, expect, test } from '@jest/globals';
import { looksLike } from './shell-session.ts';

describe('what a command prints', () => {
  test.each([
    [
      'offer: 01a1fca5-78b2-7446-837c-8dfeedda5761\n',
      'offer: 7f3b1a22-0000-7000-8000-000000000000\n',
    ],
    [
      "expires: '2026-11-21T05:52:45.200Z'\nexpires-in: 299\n",
      "expires: '2026-01-01T00:00:00Z'\nexpires-in: 300\n",
    ],
    ['at http://127.0.0.1:41234/jobs\n', 'at http://127.0.0.1:8080/jobs\n'],
    ['one\ntwo\nthree\n', 'one\n[…]\nthree\n'],
    ['one\n', 'one\n[…]\n'],
    ['size 1 of many\n', 'size […] of many\n'],
  ])('%j matches %j', (printed, shown) => {
    expect(looksLike(printed, shown)).toBe(true);
  });

  test.each([
    ['COMPLETED\n', 'ERROR\n'],
    ['one\ntwo\n', 'one\n'],
    ['one\n', 'one\ntwo\n'],
    ['one\ntwo\nfour\n', 'one\n[…]\nthree\n'],
    ['a.b\n', 'a*b\n'],
  ])('%j does not match %j', (printed, shown) => {
    expect(looksLike(printed, shown)).toBe(false);
  });
});
