import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startTestService } from '../../harness/service.ts';
import { SMALL_ASK, SMALL_RULES, SMALL_SITE } from '../../harness/site.ts';
import { CLIENT, openProvider } from '../../identity/sign-in/provider.ts';
import { signInAt } from './at-issuer.ts';
import { openPage, type BrowserPage } from './browser.ts';
import { openTwoIssuers, type TwoIssuers } from './two-issuers.ts';

const ME = '/me/sign-ins';

let world: TwoIssuers;

beforeAll(async () => {
  world = await openTwoIssuers();
});
afterAll(() => world?.close());
beforeEach(() => world.reset());

describe('GET /login', () => {
  test('leads to the issuer with PKCE, state and nonce, new each time', async () => {
    const [first, second] = [
      new URL(await world.begin(openPage(world.service.url))),
      new URL(await world.begin(openPage(world.service.url))),
    ];
    expect(first.origin).toBe(world.one.url);
    expect(Object.fromEntries(first.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: CLIENT.id,
      redirect_uri: `${world.service.url}/login/callback`,
      scope: 'openid email groups',
      code_challenge_method: 'S256',
    });
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(first.searchParams.get(name)).toHaveLength(43);
      expect(first.searchParams.get(name)).not.toBe(second.searchParams.get(name));
    }
  });

  test('keeps its secrets in a cookie of ten minutes that no script reads', async () => {
    const page = openPage(world.service.url);
    const { headers } = await page.send('/login?at=One');
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^planner\.login=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/,
      ),
    ]);
  });

  test.each([
    ['https://evil.example/'],
    ['//evil.example/'],
    ['/\\evil.example'],
    ['javascript:alert(1)'],
    ['#'],
    ['#@evil.example'],
    ['#/a\r\nLocation: https://evil.example'],
    [`#/${'x'.repeat(1001)}`],
    [' #/'],
  ])('does not lead to %j afterwards', async (to) => {
    const query = new URLSearchParams({ at: 'One', to }).toString();
    const { status, document } = await openPage(world.service.url).send(`/login?${query}`);
    expect([status, document['code']]).toEqual([400, 'parameter-invalid']);
  });

  test('knows the issuers that /site lists, and no others', async () => {
    const site = Object((await openPage(world.service.url).send('/site')).document['site']);
    const starts = site['sign-in'].map(({ start }: { start?: string }) => start);
    expect(starts).toEqual(['login?at=One', 'login?at=Two%20%26%20more', undefined]);
    expect((await openPage(world.service.url).send(`/${starts[1]}`)).status).toBe(303);
    for (const at of ['', '?at=', '?at=one', '?at=Tokens%20only', `?at=${world.one.url}`])
      expect((await openPage(world.service.url).send(`/login${at}`)).status).toBe(400);
  });

  test('shows a person a page when something is wrong, and a program a document', async () => {
    const { status, headers, text } = await openPage(world.service.url).send('/login?at=<b>', {
      headers: { Accept: 'text/html,*/*;q=0.8' },
    });
    expect([status, headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
    expect(text).toContain('at &apos;&lt;b&gt;&apos;'.replaceAll('&apos;', "'"));
    expect(text).toContain(`<a href="${world.service.url}/">`);
  });

  test('is 503 while the issuer is away, and works when it is back', async () => {
    const own = await openProvider();
    const other = await startTestService(
      {
        ...SMALL_SITE,
        identity: {
          oidc: [
            {
              issuer: own.url,
              name: 'One',
              audience: 'planner',
              'client-id': CLIENT.id,
              'client-secret': world.secret,
            },
          ],
        },
      },
      SMALL_RULES,
    );
    try {
      const page = openPage(other.url);
      const { status, document } = await page.send('/login?at=One');
      expect([status, document['code']]).toEqual([503, 'credential-unchecked']);
      own.register(`${other.url}/login/callback`);
      expect((await page.send('/login?at=One')).status).toBe(303);
    } finally {
      await other.close();
      await own.close();
    }
  });
});

describe('a user of an issuer', () => {
  test('is signed in, and comes to the screen where they began', async () => {
    const { reply, send, cookies } = await world.signedIn();
    expect([reply.status, reply.headers.get('location')]).toEqual([
      303,
      `${world.service.url}/#/jobs`,
    ]);
    expect([...cookies.keys()]).toEqual(['planner']);
    expect(reply.headers.getSetCookie()).toEqual([
      'planner.login=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0',
      expect.stringMatching(/^planner=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    const answer = Object((await send('/request', { body: SMALL_ASK })).document['response']);
    expect(answer.offers[0].identity).toEqual({
      type: 'oidc',
      user: 'ada@example.org',
      issuer: world.one.url,
      subject: 'ada',
    });
    const me = Object((await send('/me')).document['me']);
    expect(me).toMatchObject({ roles: ['One:survey'], administrator: true });
    const { 'sign-ins': all } = Object((await send(ME)).document);
    expect(all).toMatchObject([{ id: me['sign-in'].id, current: true }]);
    const { audit } = Object((await send('/audit')).document);
    expect(audit[0]).toMatchObject({ action: 'GET /login/callback', status: 303 });
  });

  test.each(['/login/callback/', '/Login/Callback'])(
    'is in the audit trail, also when the browser writes %s',
    async (written) => {
      const page = openPage(world.service.url);
      const path = await world.backFrom(page);
      const reply = await world.follow(page, path.replace('/login/callback', written));
      expect(reply.status).toBe(303);
      const { audit } = Object((await page.send('/audit')).document);
      expect(audit[0]).toMatchObject({ action: `GET ${written}`, status: 303 });
    },
  );

  test('is signed in as long as the ID token, or as the site file says', async () => {
    const lasts = async ({ send }: BrowserPage): Promise<number> => {
      const [signIn] = Object((await send(ME)).document)['sign-ins'];
      return (Date.parse(signIn.until) - Date.parse(signIn.since)) / 1000;
    };
    const byToken = await lasts(await world.signedIn());
    expect(byToken).toBeGreaterThan(3590);
    expect(byToken).toBeLessThanOrEqual(3600);
    expect(await lasts(await world.signedIn('ada', world.two, 'Two & more'))).toBeCloseTo(7200, 0);
  });

  test('is signed in no longer than the session of the issuer', async () => {
    world.one.register(`${world.service.url}/login/callback`, {
      claims: { openid: ['sub', 'session_expiry'], email: ['email'] },
    });
    const end = Math.floor(Date.now() / 1000) + 900;
    world.one.say({ session_expiry: end });
    const { send } = await world.signedIn();
    const [signIn] = Object((await send(ME)).document)['sign-ins'];
    expect(Date.parse(signIn.until)).toBe(end * 1000);
  });

  test.each([0, 1, -1e14, -1e300])(
    'whose session at the issuer ended at %d is told so, and not signed in',
    async (ended) => {
      world.one.register(`${world.service.url}/login/callback`, {
        claims: { openid: ['sub', 'session_expiry'], email: ['email'] },
      });
      world.one.say({ session_expiry: ended });
      const page = openPage(world.service.url);
      expect(await world.outcomeOf(page, await world.backFrom(page))).toMatchObject({
        status: 403,
        code: 'sign-in-failed',
        detail: expect.stringContaining('its session has ended'),
        cookie: false,
      });
    },
  );

  test('whose planner was restarted meanwhile comes back signed in', async () => {
    const publicUrl = 'https://planner.example.org/space';
    world.one.register(`${publicUrl}/login/callback`);
    const start = () => startTestService(world.site, SMALL_RULES, { publicUrl });
    const before = await start();
    const page = openPage(before.url);
    const { headers } = await page.send('/login?at=One');
    await before.close();
    const back = await signInAt(world.one, headers.get('location') ?? '', 'ada');
    expect(back.startsWith(`${publicUrl}/login/callback?`)).toBe(true);
    const after = await start();
    const later = openPage(after.url);
    for (const [name, value] of page.cookies) later.cookies.set(name, value);
    const reply = await world.follow(later, back.slice(publicUrl.length));
    await after.close();
    expect([reply.status, reply.headers.get('location')]).toEqual([303, `${publicUrl}/#/`]);
    expect([...later.cookies.keys()]).toEqual(['__Host-planner~space']);
  });

  test('of an issuer that wants the secret in the body is signed in', async () => {
    const service = await startTestService(world.site, SMALL_RULES);
    world.one.register(`${service.url}/login/callback`, {
      clientAuthMethods: ['client_secret_post'],
      clientDefaults: { token_endpoint_auth_method: 'client_secret_post' },
    });
    const page = openPage(service.url);
    const { headers } = await page.send('/login?at=One');
    const back = await signInAt(world.one, headers.get('location') ?? '', 'ada');
    const { status } = await world.follow(page, back.slice(service.url.length));
    await service.close();
    expect(status).toBe(303);
  });

  test('of two issuers with one name is two owners, with the roles of each', async () => {
    await world.signedIn();
    const { send } = await world.signedIn('ada', world.two, 'Two & more');
    expect(Object((await send(ME)).document)['sign-ins']).toHaveLength(1);
    expect(Object((await send('/me')).document['me'])).toMatchObject({
      roles: ['Two & more:survey'],
      administrator: false,
    });
  });

  test('no token or code of theirs is kept', async () => {
    const { path } = await world.signedIn();
    const code = new URLSearchParams(path.split('?')[1]).get('code') ?? 'none';
    expect(code.length).toBeGreaterThan(20);
    const kept = JSON.stringify([
      await world.service.db.database.signIn.findMany(),
      (await world.service.db.database.audit.findMany()).map(({ action }) => action),
    ]);
    expect(kept).not.toContain(code);
    expect(kept).not.toMatch(/eyJ/);
  });

  test('who refuses at the issuer is told so', async () => {
    const page = openPage(world.service.url);
    const state = new URL(await world.begin(page)).searchParams.get('state') ?? '';
    const query = new URLSearchParams({ state, error: 'access_denied', iss: world.one.url });
    expect(await world.outcomeOf(page, `/login/callback?${query.toString()}`)).toMatchObject({
      code: 'sign-in-failed',
      detail: expect.stringContaining('One: it says access_denied'),
      cookie: false,
    });
  });
});
