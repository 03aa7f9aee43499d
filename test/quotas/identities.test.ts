import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { hashPassword, printHash } from '../../src/identity/basic/hash.ts';
import { issuedOwner } from '../../src/identity/principal.ts';
import { offersOf, openClient } from '../harness/client.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { tokenOf } from '../harness/site.ts';
import { openIssuer, type Issuer } from '../identity/issuer.ts';

const EMAIL = 'ada@example.org';
const TOKEN = 'token-of-the-site';
function basic(user: string): string {
  return `Basic ${Buffer.from(`${user}:secret`).toString('base64')}`;
}
function bearer(token: string): string {
  return `Bearer ${token}`;
}
const ASK =
  '{task: {type: "https://www.purl.org/ivoa-net/task-type/executable", spec: {command: [sort]}}}';

describe('the quota of a person with several identities', () => {
  let issuers: readonly [Issuer, Issuer];
  let service: TestService;
  let folder: string;
  let send: ReturnType<typeof openClient>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'planner-quota-'));
    const hash = printHash(await hashPassword('secret', { n: 1024, r: 8, p: 1 }));
    await writeFile(
      join(folder, 'passwords'),
      [EMAIL, 'grace', 'many', 'twice'].map((user) => `${user}:${hash}:`).join('\n'),
    );
    issuers = [await openIssuer('ES256'), await openIssuer('ES256')];
    service = await startTestService(
      {
        rules: ['rules.yml'],
        offers: { lifetime: 'PT10M' },
        identity: {
          anonymous: false,
          basic: join(folder, 'passwords'),
          tokens: [tokenOf(TOKEN, { user: EMAIL })],
          oidc: issuers.map(({ url }) => ({ issuer: url, audience: 'planner' })),
        },
        quotas: [
          { for: 'user', holds: 2 },
          {
            for: 'user',
            name: 'Grace',
            identities: ['user:grace', issuedOwner(issuers[0].url, 'grace-1')],
            holds: 3,
          },
          { for: 'user', name: 'user:many', holds: 5 },
          { for: 'user', name: 'named@example.org', holds: 4 },
          { for: 'user', name: 'twice', cores: 100 },
          { for: 'user', name: 'user:twice', holds: 3 },
        ],
        destinations: {
          a: {
            runner: 'process',
            'task-types': ['executable'],
            cores: 400,
            memory: '400GiB',
            scratch: '8000GiB',
          },
        },
      },
      { destinations: { a: { runner: 'process' } } },
    );
    send = openClient(service.url);
  });
  afterAll(async () => {
    await service?.close();
    for (const issuer of issuers) await issuer.stop();
    await rm(folder, { recursive: true });
  });
  beforeEach(async () => {
    await service.db.database.$executeRaw`TRUNCATE ask CASCADE`;
  });

  /** The number of YES answers to the credentials, used in turn, until one of them gets a NO. */
  const yeses = async (...credentials: readonly string[]): Promise<number> => {
    for (let count = 0; count < 20; count += 1) {
      const Authorization = credentials[count % credentials.length] ?? '';
      const reply = await send('/request', { body: ASK, headers: { Authorization } });
      expect(reply.status).toBe(200);
      if (offersOf(reply).length === 0) return count;
    }
    return Infinity;
  };

  test('is one, by password or by token of the site, for the same user', async () => {
    expect(await yeses(basic(EMAIL), bearer(TOKEN))).toBe(2);
  });

  test('is one for all tokens of one issuer and subject, also when their e-mail changes', async () => {
    const [{ token }] = issuers;
    expect(
      await yeses(
        bearer(await token({ sub: 'a', email: EMAIL })),
        bearer(await token({ sub: 'a', email: 'countess@example.org' })),
      ),
    ).toBe(2);
  });

  test('is not shared with users of the same name at other issuers or the site', async () => {
    const [first, second] = issuers;
    expect(await yeses(bearer(await first.token({ sub: 'b', email: EMAIL })))).toBe(2);
    expect(await yeses(bearer(await first.token({ sub: 'c', email: EMAIL })))).toBe(2);
    expect(await yeses(bearer(await second.token({ sub: 'b', email: EMAIL })))).toBe(2);
    expect(await yeses(basic(EMAIL))).toBe(2);
  });

  test('with a name applies to each user of that name separately', async () => {
    const [first, second] = issuers;
    expect(await yeses(bearer(await first.token({ sub: 'd', email: 'named@example.org' })))).toBe(
      4,
    );
    expect(await yeses(bearer(await second.token({ sub: 'd', email: 'named@example.org' })))).toBe(
      4,
    );
  });

  test('is one for all identities that the site assigns to one person, and for nobody else', async () => {
    const [first, second] = issuers;
    expect(await yeses(basic('grace'), bearer(await first.token({ sub: 'grace-1' })))).toBe(3);
    expect(await yeses(bearer(await second.token({ sub: 'grace-1', email: 'Grace' })))).toBe(2);
  });

  test('that names an owner does not apply to a user whom an issuer gives that name', async () => {
    expect(await yeses(bearer(await issuers[0].token({ sub: 'e', email: 'user:many' })))).toBe(2);
    expect(await yeses(basic('many'))).toBe(5);
  });

  test('holds beside another one for the same user, whom the site file names in two ways', async () => {
    expect(await yeses(basic('twice'))).toBe(3);
    const { document } = await send('/me', { headers: { Authorization: basic('twice') } });
    expect(Object(document['me']).quotas).toMatchObject([
      { name: 'twice', limit: 'cores', used: 6 },
      { name: 'user:twice', limit: 'holds', used: 3 },
    ]);
  });
});
