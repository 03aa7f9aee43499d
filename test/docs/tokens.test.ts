import { expect, test } from '@jest/globals';
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { readCredential } from '../../src/identity/credential.ts';

test('the token of the first site fits a header, and its digest is the one in the site file', async () => {
  const page = await readFile('docs/tutorials/first-site.md', 'utf8');
  const authorization = /Authorization: (Bearer [^`]+)`/.exec(page)?.[1] ?? '';
  const digest = /- sha256: (\S+)/.exec(page)?.[1];
  const credential = readCredential(authorization);
  const token = credential?.scheme === 'bearer' ? credential.token : '';
  expect(page).toContain(`printf %s ${token} | sha256sum`);
  expect(hash('sha256', token)).toBe(digest);
});
