import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { hashPassword, printHash } from '../../../src/identity/basic/hash.ts';
import { contractFaults } from '../../harness/contract.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { SMALL_ASK, SMALL_RULES, SMALL_SITE, tokenOf } from '../../harness/site.ts';
import { until } from '../../uws/clients/worker.ts';
import { headerOf, openPage } from './browser.ts';

const ADA = { user: 'ada@example.org', password: 'correct horse' };
const ME = '/me/sign-ins';

let folder: string;
let file: string;
let service: TestService;

async function lineOf(user: string, password: string, roles = ''): Promise<string> {
  return `${user}:${printHash(await hashPassword(password, { n: 1024, r: 8, p: 1 }))}:${roles}\n`;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'planner-sign-in-'));
  file = join(folder, 'users');
  await writeFile(file, await lineOf(ADA.user, ADA.password, 'survey'));
  service = await startTestService(
    {
      ...SMALL_SITE,
      identity: {
        anonymous: false,
        basic: file,
        administrators: ['operators'],
        tokens: [tokenOf('bob-token'), tokenOf('op-token', { roles: ['operators'] })],
      },
      http: { 'allow-origins': ['https://portal.example.org'] },
    },
    SMALL_RULES,
  );
});
afterAll(async () => {
  await service?.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  await service.db.database.$executeRaw`TRUNCATE sign_in, ask CASCADE`;
});

async function signedIn(secret: object = ADA) {
  const page = openPage(service.url);
  const reply = await page.send('/login', { json: secret });
  expect(reply.status).toBe(200);
  return { ...page, reply, signIn: Object(reply.document['sign-in']) };
}
function nameIn(cookies: ReadonlyMap<string, string>): string {
  return cookies.get('planner') ?? '';
}

describe('POST /login', () => {
  test('sets a cookie that no script reads and no other site sends, and keeps only its digest', async () => {
    const { reply, cookies, signIn } = await signedIn();
    expect(reply.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^planner=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    expect(contractFaults('SignedInBody', reply.document)).toEqual([]);
    expect(signIn).toMatchObject({ identity: { type: 'local', user: ADA.user }, current: true });
    expect(Date.parse(signIn.until) - Date.parse(signIn.since)).toBe(12 * 3_600_000);
    const rows = await service.db.database.signIn.findMany();
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(nameIn(cookies));
  });

  test('makes the browser the user: it asks, and has the jobs of the same user by password', async () => {
    const { send } = await signedIn();
    const answer = Object((await send('/request', { body: SMALL_ASK })).document['response']);
    expect(answer).toMatchObject({ result: 'YES' });
    expect(answer.offers[0]).toMatchObject({ identity: { type: 'local', user: ADA.user } });
    const basic = Buffer.from(`${ADA.user}:${ADA.password}`).toString('base64');
    const path = `/offers/${answer.offers[0].ident}`;
    const other = await fetch(`${service.url}${path}`, {
      headers: { Authorization: `Basic ${basic}` },
    });
    expect(other.status).toBe(200);
    const seen = await send(path);
    expect(seen).toMatchObject({ status: 200 });
    expect(seen.headers.get('x-vo-authenticated')).toBe(ADA.user);
    expect((await send('/jobs')).status).toBe(200);
  });

  test('takes a token of the site file, with its roles', async () => {
    const { send } = await signedIn({ token: 'op-token' });
    expect((await send('/audit')).status).toBe(200);
    expect((await (await signedIn({ token: 'bob-token' })).send('/audit')).status).toBe(403);
  });

  test('is in the audit trail with its beginning and its end', async () => {
    const ada = await signedIn();
    await ada.send('/logout', { method: 'POST' });
    const { send } = await signedIn({ token: 'op-token' });
    const { audit } = Object((await send('/audit')).document);
    const owner = `user:${ADA.user}`;
    expect(audit).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ action: 'POST /login', owner, status: 200 }),
        expect.objectContaining({ action: 'POST /logout', owner, status: 204 }),
      ]),
    );
  });

  test.each([
    ['a wrong password', { ...ADA, password: 'wrong' }],
    ['an unknown user', { user: 'eve', password: 'correct horse' }],
    ['an unknown token', { token: 'ada-token' }],
  ])('refuses %s with 401, without a cookie and without a dialog', async (_, secret) => {
    const { send, cookies } = openPage(service.url);
    const { status, headers, document } = await send('/login', { json: secret });
    expect([status, document['code']]).toEqual([401, 'credential-invalid']);
    expect(headers.get('www-authenticate')).not.toContain('Basic');
    expect(cookies.size).toBe(0);
  });

  test.each([
    ['nothing', {}],
    ['more than one way', { ...ADA, token: 'bob-token' }],
    ['a number', { token: 7 }],
    ['an empty password', { ...ADA, password: '' }],
    ['a key more', { ...ADA, remember: true }],
  ])('refuses a body with %s, and does not repeat it', async (_, json) => {
    const { status, document, text } = await openPage(service.url).send('/login', { json });
    expect([status, document['code']]).toEqual([400, 'body-not-an-ask']);
    expect(text).not.toContain('horse');
  });

  test('refuses forms, which any page could send', async () => {
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data']) {
      const { status } = await openPage(service.url).send('/login', {
        body: JSON.stringify(ADA),
        headers: { 'Content-Type': type },
      });
      expect(status).toBe(415);
    }
  });

  test('counts wrong passwords together with Basic, for the user and the address', async () => {
    const eve = { user: 'eve@example.org', password: 'guess' };
    const basic = Buffer.from(`${eve.user}:${eve.password}`).toString('base64');
    for (let guess = 0; guess < 12; guess += 1) {
      await openPage(service.url).send('/login', { json: eve });
      await fetch(`${service.url}/jobs`, { headers: { Authorization: `Basic ${basic}` } });
    }
    const { status, headers } = await openPage(service.url).send('/login', { json: eve });
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    await signedIn();
  });

  test('gives a new name: one that somebody put into the browser before is worth nothing', async () => {
    const page = openPage(service.url);
    const planted = 'a'.repeat(43);
    page.cookies.set('planner', planted);
    await page.send('/login', { json: ADA });
    expect(nameIn(page.cookies)).not.toBe(planted);
    const thief = openPage(service.url);
    thief.cookies.set('planner', planted);
    expect((await thief.send(ME)).status).toBe(401);
  });

  test('ends the sign-in that the browser had', async () => {
    const { send, cookies } = await signedIn();
    const before = headerOf(cookies);
    await send('/login', { json: { token: 'bob-token' } });
    expect(await service.db.database.signIn.count()).toBe(1);
    expect((await openPage(service.url).send(ME, { headers: { Cookie: before } })).status).toBe(
      401,
    );
  });
});

describe('a cookie', () => {
  test('does not count beside an Authorization header', async () => {
    const { send } = await signedIn();
    const wrong = await send(ME, { headers: { Authorization: 'Bearer nonsense' } });
    expect(wrong.status).toBe(401);
    expect(wrong.headers.getSetCookie()).toEqual([]);
    const bob = await send(ME, { headers: { Authorization: 'Bearer bob-token' } });
    expect(bob.document).toEqual({ 'sign-ins': [] });
  });

  test.each([
    ['another site', { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }],
    ['another host of the domain', { 'Sec-Fetch-Site': 'same-site' }],
    ['no origin', { Origin: 'null', 'Sec-Fetch-Site': 'same-origin' }],
    ['another port', { Origin: 'http://127.0.0.1:1', 'Sec-Fetch-Site': 'same-site' }],
  ])('lets a page of %s change nothing', async (_, headers) => {
    const { send } = await signedIn();
    for (const [path, type] of [
      ['/request', 'application/json'],
      ['/jobs', 'application/x-www-form-urlencoded'],
      ['/login', 'application/json'],
      ['/logout', 'text/plain'],
    ] as const) {
      const sent = { body: SMALL_ASK, headers: { ...headers, 'Content-Type': type } };
      expect({ path, status: (await send(path, sent)).status }).toEqual({ path, status: 403 });
    }
    expect(await service.db.database.signIn.count()).toBe(1);
    expect(await service.db.database.ask.count()).toBe(0);
  });

  test('does not count for a portal, which sends a credential of its own', async () => {
    const { send } = await signedIn();
    for (const site of ['same-site', 'cross-site']) {
      const headers = { Origin: 'https://portal.example.org', 'Sec-Fetch-Site': site };
      const { status, document } = await send('/request', { body: SMALL_ASK, headers });
      expect([status, document['code']]).toEqual([401, 'credential-missing']);
      expect((await send(ME, { headers })).status).toBe(401);
      await send('/logout', { method: 'POST', headers });
    }
    expect(await service.db.database.signIn.count()).toBe(1);
  });

  test('does not count for pictures and frames of other sites, but for links to here', async () => {
    const { send } = await signedIn();
    const from = (dest: string, mode: string) => ({
      headers: { 'Sec-Fetch-Site': 'same-site', 'Sec-Fetch-Dest': dest, 'Sec-Fetch-Mode': mode },
    });
    expect((await send('/jobs', from('image', 'no-cors'))).status).toBe(401);
    expect((await send('/jobs', from('iframe', 'navigate'))).status).toBe(401);
    expect((await send('/jobs', from('document', 'navigate'))).status).toBe(200);
  });

  test('is refused for a change that does not say who sends it', async () => {
    const { cookies } = await signedIn();
    const response = await fetch(`${service.url}/request`, {
      method: 'POST',
      headers: { Cookie: headerOf(cookies), 'Content-Type': 'application/json' },
      body: SMALL_ASK,
    });
    expect(response.status).toBe(403);
    expect(await response.text()).toContain('cross-site-request');
  });

  test('that is no longer good is 401 once, never anonymous, and is removed', async () => {
    const { send, cookies } = openPage(service.url);
    cookies.set('planner', 'b'.repeat(43));
    const { status, document, headers } = await send(ME);
    expect([status, document['code']]).toEqual([401, 'credential-invalid']);
    expect(headers.get('www-authenticate')).not.toContain('Basic');
    expect(cookies.size).toBe(0);
  });

  test('that is given twice is refused: nobody knows which of them is ours', async () => {
    const { send, cookies } = await signedIn();
    const Cookie = `planner=${'c'.repeat(43)}; ${headerOf(cookies)}`;
    expect((await send(ME, { headers: { Cookie } })).status).toBe(401);
  });

  test('of a program is answered with all challenges', async () => {
    const response = await fetch(`${service.url}/jobs`);
    expect(response.headers.get('www-authenticate')).toContain('Basic');
  });
});

describe('a sign-in', () => {
  test('ends with POST /logout at once, also for whoever stole the cookie', async () => {
    const { send, cookies } = await signedIn();
    const stolen = headerOf(cookies);
    expect((await send(ME)).status).toBe(200);
    const { status, headers } = await send('/logout', { method: 'POST' });
    expect(status).toBe(204);
    expect(headers.getSetCookie()).toEqual(['planner=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0']);
    expect(cookies.size).toBe(0);
    expect((await openPage(service.url).send(ME, { headers: { Cookie: stolen } })).status).toBe(
      401,
    );
    expect((await send('/logout', { method: 'POST' })).status).toBe(204);
  });

  test('takes what the browser follows with it', async () => {
    const { send, cookies } = await signedIn();
    const answer = Object((await send('/request', { body: SMALL_ASK })).document['response']);
    const [{ ident }] = answer.offers;
    const path = `/offers/${ident}`;
    expect((await send(path, { body: 'status: ACCEPTED' })).status).toBe(200);
    const followed = fetch(`${service.url}/jobs/${ident}?WAIT=60`, {
      headers: { Cookie: headerOf(cookies) },
    });
    const ended = followed.then(
      ({ status }) => `answered ${status}`,
      () => 'ended',
    );
    await send('/logout', { method: 'POST' });
    expect(await ended).toBe('ended');
  });

  test('ends at its time', async () => {
    const { send, cookies } = await signedIn();
    await service.db.database.$executeRaw`UPDATE sign_in SET until = now() - interval '1 second'`;
    expect((await send(ME)).status).toBe(401);
    expect(cookies.size).toBe(0);
  });

  test('is listed and ended by its user, and by nobody else', async () => {
    const [one, two] = [await signedIn(), await signedIn()];
    await signedIn({ token: 'bob-token' });
    const { document } = await one.send(ME, { headers: { 'User-Agent': 'x' } });
    expect(contractFaults('SignInsBody', document)).toEqual([]);
    expect(document['sign-ins']).toMatchObject([
      { id: two.signIn.id, current: false, address: '127.0.0.1' },
      { id: one.signIn.id, current: true },
    ]);
    const { send } = await signedIn({ token: 'op-token' });
    for (const id of [one.signIn.id, 'none']) {
      const other = await send(`${ME}/${id}`, { method: 'DELETE' });
      expect([other.status, other.document['code']]).toEqual([404, 'sign-in-unknown']);
    }
    expect((await one.send(`${ME}/${two.signIn.id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await two.send(ME)).status).toBe(401);
    expect((await one.send(`${ME}/${one.signIn.id}`, { method: 'DELETE' })).status).toBe(204);
    expect(one.cookies.size).toBe(0);
  });

  test('has the roles of the files as they are now, and ends with a changed password', async () => {
    const { send } = await signedIn();

    expect((await send('/audit')).status).toBe(403);
    const [line] = (await readFile(file, 'utf8')).split('\n');
    await writeFile(file, `${line},operators\n`);
    await until(async () => (await send('/audit')).status === 200);
    await writeFile(file, await lineOf(ADA.user, 'another', 'survey'));
    await until(async () => (await send(ME)).status === 401);
    await writeFile(file, await lineOf(ADA.user, ADA.password, 'survey'));
    await until(
      async () => (await openPage(service.url).send('/login', { json: ADA })).status === 200,
    );
  });
});

describe('the place of the service', () => {
  test('below a path of a trusted proxy has a cookie of its own; of nobody else it is believed', async () => {
    const token = { identity: { tokens: [tokenOf('bob-token')] } };
    for (const [trustProxy, name, scheme] of [
      ['loopback', '__Host-planner~space', 'https'],
      [false, 'planner', 'http'],
    ] as const) {
      const own = await startTestService({ ...SMALL_SITE, ...token }, SMALL_RULES, { trustProxy });
      const { headers } = await openPage(own.url).send('/login', {
        json: { token: 'bob-token' },
        headers: {
          'X-Forwarded-Prefix': '/space',
          'X-Forwarded-Proto': 'https',
          Origin: own.url.replace('http', scheme),
        },
      });
      await own.close();
      expect(headers.getSetCookie()).toEqual([expect.stringMatching(`^${name}=`)]);
    }
  });

  test('by PUBLIC_URL has a cookie that the browser sends by TLS only', async () => {
    const own = await startTestService(
      { ...SMALL_SITE, identity: { tokens: [tokenOf('bob-token')] } },
      SMALL_RULES,
      { publicUrl: 'https://planner.example.org/space' },
    );
    const { send } = openPage(own.url);
    const reply = await send('/login', { json: { token: 'bob-token' } });
    const next = await send(ME);
    await own.close();
    expect(reply.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-planner~space=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
      ),
    ]);
    expect(next.document['sign-ins']).toHaveLength(1);
  });

  test('without TLS has none, except on loopback: nobody sends a password there', async () => {
    const publicUrl = 'http://planner.example.org';
    const own = await startTestService(SMALL_SITE, SMALL_RULES, { publicUrl });
    const { send, cookies } = openPage(own.url);
    const { status, document } = await send('/login', { json: ADA });
    await own.close();
    expect([status, document['code'], cookies.size]).toEqual([403, 'sign-in-insecure', 0]);
  });
});
