import { afterAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authHeader } from '../../../src/runners/container/registry-auth.ts';

const folder = mkdtempSync(join(tmpdir(), 'registry-auth-'));
const file = join(folder, 'config.json');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the credentials of registries', () => {
  test('are sent to the registry that they are for, and to no other', async () => {
    writeFileSync(
      file,
      JSON.stringify({
        auths: { 'ghcr.io': { auth: Buffer.from('ada:pass:word').toString('base64') } },
      }),
    );
    const { 'x-registry-auth': header = '' } = await authHeader(file, 'ghcr.io');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({
      username: 'ada',
      password: 'pass:word',
      serveraddress: 'ghcr.io',
    });
    expect(await authHeader(file, 'ghcr.io.example.org')).toEqual({});
    expect(await authHeader(undefined, 'ghcr.io')).toEqual({});
  });

  test("are the site's fault when they cannot be read, and are not shown to the client", async () => {
    writeFileSync(file, 'secret that is no JSON');
    await expect(authHeader(file, 'ghcr.io')).rejects.toMatchObject({
      code: 'runner-failed',
      message: expect.not.stringContaining('secret'),
    });
    await expect(authHeader(join(folder, 'none'), 'ghcr.io')).rejects.toMatchObject({
      code: 'runner-failed',
    });
  });
});
