import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { writeSite, type TestSite } from '../harness/site.ts';
import { openIssuer, type Issuer } from '../identity/issuer.ts';
import { openGround, until, type Ground } from './service-process.ts';

const SITE = {
  rules: ['rules.yml'],
  destinations: {
    a: {
      runner: 'process',
      'task-types': ['executable'],
      cores: 1,
      memory: '1GiB',
      scratch: '30GiB',
    },
  },
};
const RULES = { destinations: { a: { runner: 'process' } } };

describe('the service and its sources of identity', () => {
  let ground: Ground;
  let issuer: Issuer;
  let site: TestSite;
  beforeEach(async () => {
    ground = await openGround();
    issuer = await openIssuer();
    const identity = {
      anonymous: false,
      basic: 'users',
      oidc: [{ issuer: issuer.url, audience: 'planner', name: 'Example IAM' }],
    };
    site = await writeSite({ ...SITE, identity }, RULES);
    await writeFile(join(site.folder, 'users'), '');
  });
  afterEach(async () => {
    await ground.close();
    await site.remove();
    await issuer.stop();
  });

  test('starts while an issuer is down, reports it as not ready, and takes its tokens once it is up', async () => {
    const token = await issuer.token();
    await issuer.stop();
    const service = ground.start({ environment: { SITE_FILE: site.siteFile } });
    const url = await service.ready();
    const readiness = async () => Object(await (await fetch(`${url}/readyz`)).json());
    const list = () => fetch(`${url}/jobs`, { headers: { Authorization: `Bearer ${token}` } });
    await until(
      'everything else works',
      async () => (await fetch(`${url}/readyz`)).status === 200 || undefined,
    );
    expect(await readiness()).toMatchObject({
      ready: true,
      parts: { identity: 'degraded' },
      problems: { identity: ['Example IAM does not give its keys'] },
    });
    expect((await list()).status).toBe(503);
    await issuer.start();
    await until(
      'the keys are there',
      async () => (await readiness()).parts.identity === 'ok' || undefined,
    );
    expect((await list()).status).toBe(200);
    expect(service.output()).not.toContain(token);
  });

  test('does not start with an unusable password file, and `planner check` says the same', async () => {
    await writeFile(join(site.folder, 'users'), 'ada:secret-in-the-clear\n');
    for (const command of ['serve', 'check'] as const) {
      const service = ground.start({
        environment: { SITE_FILE: site.siteFile },
        command: [process.execPath, '--no-warnings', 'src/cli/planner.mjs', command],
      });
      const { code, output } = await service.ended;
      expect({ command, code }).toEqual({ command, code: 1 });
      expect(output).toContain(`${join(site.folder, 'users')}:1: the line must be user:scrypt`);
      expect(output).not.toContain('secret-in-the-clear');
    }
  });
});
