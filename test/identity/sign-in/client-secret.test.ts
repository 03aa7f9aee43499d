import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readSecret } from '../../../src/identity/sign-in/client-secret.ts';
import { openFor } from '../identify.ts';

describe('the secret of a client of an issuer', () => {
  let secret: string;
  beforeAll(async () => {
    secret = join(await mkdtemp(join(tmpdir(), 'planner-secret-')), 'iam');
  });
  afterAll(() => rm(join(secret, '..'), { recursive: true, force: true }));

  const open = () =>
    openFor({
      oidc: [
        {
          issuer: 'https://iam.example.org',
          name: 'IAM',
          audience: 'planner',
          'client-id': 'planner',
          'client-secret': secret,
        },
      ],
    });

  test('must be there at the start: later nobody could sign in', async () => {
    await expect(open()).rejects.toThrow(
      /^nobody could sign in at IAM: the service cannot read its client secret: ENOENT/,
    );
    await writeFile(secret, ' \n');
    await expect(open()).rejects.toThrow('the file of the client secret is empty');
  });

  test('is read anew each time, without the end of its line', async () => {
    await writeFile(secret, 'one\n', { mode: 0o600 });
    await chmod(secret, 0o600);
    expect((await open()).warnings()).toEqual([]);
    expect(await readSecret({ secret })).toBe('one');
    await writeFile(secret, 'two');
    expect(await readSecret({ secret })).toBe('two');
  });

  test('that every user of the machine may read is a warning', async () => {
    await chmod(secret, 0o644);
    expect((await open()).warnings()).toEqual([
      expect.stringContaining('the client secret for IAM: chmod 640, or 600'),
    ]);
  });
});
