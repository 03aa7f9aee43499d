import { afterAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authHeader } from '../../../src/runners/container/registry-auth.ts';

const folder = mkdtempSync(join(tmpdir(), 'registry-auth-'));
const file = join(folder, 'config.json');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function base64(text: string) {
  return Buffer.from(text).toString('base64');
}

function sentFor(registry: string, repository = 'survey/tools') {
  return authHeader(file, { registry, repository }).then(({ 'x-registry-auth': header }) =>
    header === undefined ? undefined : JSON.parse(Buffer.from(header, 'base64url').toString()),
  );
}

describe('the credentials of registries', () => {
  test('are sent to the registry that they are for, and to no other', async () => {
    writeFileSync(
      file,
      JSON.stringify({ auths: { 'ghcr.io': { auth: base64('ada:pass:word') } } }),
    );
    expect(await sentFor('ghcr.io')).toEqual({
      username: 'ada',
      password: 'pass:word',
      serveraddress: 'ghcr.io',
    });
    expect(await sentFor('ghcr.io.example.org')).toBeUndefined();
    expect(await authHeader(undefined, { registry: 'ghcr.io', repository: 'a' })).toEqual({});
  });

  test.each(['https://index.docker.io/v1/', 'docker.io', 'https://docker.io', 'index.docker.io'])(
    'are those of docker.io when they are kept under %s',
    async (key) => {
      writeFileSync(file, JSON.stringify({ auths: { [key]: { auth: base64('ada:a') } } }));
      expect(await sentFor('docker.io')).toMatchObject({ username: 'ada' });
    },
  );

  test('are those of the part of a registry where the image is', async () => {
    const auths = {
      'quay.io': { auth: base64('all:a') },
      'quay.io/survey': { auth: base64('survey:a') },
      'quay.io/sur': { auth: base64('sur:a') },
    };
    writeFileSync(file, JSON.stringify({ auths }));
    expect(await sentFor('quay.io')).toMatchObject({ username: 'survey' });
    expect(await sentFor('quay.io', 'other/tools')).toMatchObject({ username: 'all' });
  });

  test('may be a token of an identity, and those that another program keeps are missed by name', async () => {
    const entry = { auth: base64('0:'), identitytoken: 'long' };
    writeFileSync(file, JSON.stringify({ auths: { 'r.example.org': entry } }));
    expect(await sentFor('r.example.org')).toMatchObject({ identitytoken: 'long' });
    writeFileSync(file, JSON.stringify({ auths: { 'ghcr.io': {} }, credsStore: 'pass' }));
    await expect(sentFor('ghcr.io')).rejects.toMatchObject({
      code: 'runner-failed',
      message: expect.stringMatching(/no password for ghcr\.io is in the file/),
    });
  });

  test("are the site's fault when they cannot be read, and are not shown to the client", async () => {
    writeFileSync(file, 'secret that is no JSON');
    await expect(sentFor('ghcr.io')).rejects.toMatchObject({
      code: 'runner-failed',
      message: expect.not.stringContaining('secret'),
    });
    await expect(
      authHeader(join(folder, 'none'), { registry: 'ghcr.io', repository: 'a' }),
    ).rejects.toMatchObject({ code: 'runner-failed' });
  });
});
