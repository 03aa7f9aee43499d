import { once } from 'node:events';
import { createServer } from 'node:http';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { hashPassword, printHash } from '../../src/identity/basic/hash.ts';
import { makeCertificates } from '../engines/certificates.ts';
import { needs } from '../engines/packages.ts';
import { startProxy } from '../harness/proxy.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { SMALL_RULES, SMALL_SITE, tokenOf } from '../harness/site.ts';
import { CLIENT, openProvider } from '../identity/sign-in/provider.ts';
import { noBrowser, openChromium } from './chromium.ts';
import { openForeignSite } from './foreign-site.ts';

const PUBLIC = 'planner.example.org';
const PREFIX = '/space/planner';
const ADA = { user: 'ada@example.org', password: 'correct horse' };
const missing = noBrowser ?? needs('openssl');

type Answer = { readonly status: number; readonly text: string };

(missing === undefined ? describe : describe.skip)(
  `signing in with Chromium (${missing ?? 'here'})`,
  () => {
    const undo: (() => Promise<unknown>)[] = [];
    afterEach(async () => {
      for (const step of undo.splice(0).toReversed()) await step();
    });

    const folderOf = async (files: Readonly<Record<string, string>>): Promise<string> => {
      const folder = await mkdtemp(join(tmpdir(), 'planner-sign-in-'));
      undo.push(() => rm(folder, { recursive: true, force: true }));
      for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
      return folder;
    };
    /** A site with passwords, a token, and an issuer. */
    const start = async (settings: Parameters<typeof startTestService>[2] = {}) => {
      const hash = printHash(await hashPassword(ADA.password, { n: 1024, r: 8, p: 1 }));
      const folder = await folderOf({ users: `${ADA.user}:${hash}:\n`, secret: CLIENT.secret });
      const provider = await openProvider();
      undo.push(provider.close);
      const service = await startTestService(
        {
          ...SMALL_SITE,
          identity: {
            anonymous: false,
            basic: join(folder, 'users'),
            tokens: [tokenOf('bob-token')],
            oidc: [
              {
                issuer: provider.url,
                name: 'Example IAM',
                audience: 'planner',
                'client-id': CLIENT.id,
                'client-secret': join(folder, 'secret'),
                scopes: ['openid', 'email'],
              },
            ],
          },
        },
        SMALL_RULES,
        settings,
      );
      undo.push(service.close);
      return { service, provider, folder };
    };
    const open = async (names: Readonly<Record<string, string>> = {}): Promise<Browser> => {
      const browser = await openChromium(names);
      undo.push(() => browser.close());
      return browser;
    };
    const pageOf = async (browser: Browser): Promise<Page> =>
      (await browser.newContext({ ignoreHTTPSErrors: true })).newPage();
    /** A page of the service that everybody may read, whose scripts may send requests. */
    const onPageOf = async (base: string, browser?: Browser): Promise<Page> => {
      const page = await pageOf(browser ?? (await open()));
      await page.goto(`${base}/docs`);
      return page;
    };

    test('by password: the browser keeps a cookie that its scripts do not see, until it signs out', async () => {
      const { service } = await start();
      const page = await onPageOf(service.url);
      expect(await ask(page, '/me')).toMatchObject({ status: 401 });
      expect(await ask(page, '/login', ADA)).toMatchObject({ status: 200 });
      expect(await page.evaluate('document.cookie')).toBe('');
      expect((await ask(page, '/me')).text).toContain('"user":"ada@example.org"');
      // Links, frames and event streams, which cannot send a header.
      await page.goto(`${service.url}/jobs`);
      expect(await page.title()).not.toContain('credential');
      await page.goto(`${service.url}/docs`);
      expect((await ask(page, '/logout', {})).status).toBe(204);
      expect((await ask(page, '/me')).status).toBe(401);
      expect(await page.context().cookies()).toEqual([]);
    });

    test('no dialog of the browser opens, for pages and scripts, with and without a cookie', async () => {
      const { service } = await start();
      const page = await onPageOf(service.url);
      const dialogs = await dialogsOf(page);
      for (const path of ['/me', '/jobs', '/request', '/me/sign-ins'])
        expect((await ask(page, path)).status).toBe(401);
      expect((await ask(page, '/login', { ...ADA, password: 'wrong' })).status).toBe(401);
      const planted = { name: 'planner', value: 'x'.repeat(43), url: service.url };
      await page.context().addCookies([planted]);
      expect((await ask(page, '/me')).status).toBe(401);
      expect((await page.goto(`${service.url}/jobs`))?.status()).toBe(401);
      expect(await page.textContent('body')).toContain('credential-missing');
      expect(dialogs).toEqual([]);
      // A challenge of anybody else is seen, so none of ours was missed.
      const other = createServer((_request, response) =>
        response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="other"' }).end('no'),
      ).listen(0, '127.0.0.1');
      undo.push(async () => void other.close());
      await once(other, 'listening');
      const address = other.address();
      await page.goto(`http://127.0.0.1:${typeof address === 'object' && address?.port}/`);
      expect(dialogs).toEqual(['basic']);
    });

    test('at an issuer: there, back, and to the screen where it began', async () => {
      const { service, provider } = await start();
      provider.register(`${service.url}/login/callback`);
      const page = await pageOf(await open());
      await page.goto(`${service.url}/login?at=Example%20IAM&to=%23/jobs`);
      await signInAtIssuer(page, 'ada');
      await page.waitForURL(`${service.url}/**`);
      expect(new URL(page.url()).hash).toBe('#/jobs');
      const me = await ask(page, '/me');
      expect(me.text).toContain(`"issuer":"${provider.url}"`);
      expect(me.text).toContain('"user":"ada@example.org"');
      expect((await page.context().cookies(service.url)).map(({ name }) => name)).toContain(
        'planner',
      );
      await page.goto(`${service.url}/login/callback?code=x&state=y`);
      expect(await page.textContent('h1')).toBe('The issuer did not sign you in');
      await page.getByRole('link', { name: 'Back to the service' }).click();
      await page.waitForURL(`${service.url}/**`);
    });

    test('below a path by TLS: the cookie is of the host only, and the issuer leads back there', async () => {
      const base = `https://${PUBLIC}${PREFIX}`;
      const { service, provider, folder } = await start({ publicUrl: base });
      provider.register(`${base}/login/callback`);
      const { server } = makeCertificates(folder);
      const front = await startProxy(service.url, {
        prefix: PREFIX,
        tls: { cert: await readFile(server.cert, 'utf8'), key: await readFile(server.key, 'utf8') },
      });
      undo.push(front.close);
      const browser = await open({ [PUBLIC]: `127.0.0.1:${front.port}` });
      const page = await onPageOf(base, browser);
      await page.goto(`${base}/login?at=Example%20IAM&to=%23/calendar`);
      await signInAtIssuer(page, 'bob');
      await page.waitForURL(`https://${PUBLIC}/**`);
      expect(page.url().startsWith(`${base}/`)).toBe(true);
      expect(new URL(page.url()).hash).toBe('#/calendar');
      expect(await page.context().cookies(base)).toMatchObject([
        {
          name: '__Host-planner~space~planner',
          domain: PUBLIC,
          path: '/',
          httpOnly: true,
          secure: true,
          sameSite: 'Lax',
        },
      ]);
      await page.goto(`${base}/docs`);
      expect((await ask(page, `${PREFIX}/me`)).text).toContain('"user":"bob@example.org"');
    });

    test('pages of another site cannot act with the cookie, by forms, scripts or frames', async () => {
      const { service } = await start({ hosts: ['planner.localhost'] });
      const { port } = new URL(service.url);
      const base = `http://planner.localhost:${port}`;
      const site = await openForeignSite();
      undo.push(site.close);
      const browser = await open({
        'evil.localhost': '127.0.0.1',
        'planner.localhost': '127.0.0.1',
      });
      const page = await onPageOf(base, browser);
      expect(await ask(page, '/login', ADA)).toMatchObject({ status: 200 });
      const before = await counts(service);
      // The other site has the same domain: SameSite alone would send the cookie.
      for (const origin of [
        `http://evil.localhost:${site.port}`,
        `http://127.0.0.1:${site.port}`,
      ]) {
        const path = site.put(ATTACK.replaceAll('BASE', base));
        const evil = await page.context().newPage();
        await evil.goto(`${origin}${path}`);
        await evil.waitForFunction('document.title === "done"');
        const framed = await evil
          .frames()[1]
          ?.textContent('body')
          .catch(() => '');
        expect(framed ?? '').not.toContain('ada');
        await evil.close();
      }
      expect(await counts(service)).toEqual(before);
      expect((await ask(page, '/me')).status).toBe(200);
    });
  },
);

/** A form for each path that changes something, scripts, and a frame. */
const ATTACK = `<iframe name="sink"></iframe><iframe src="BASE/jobs"></iframe>
<form id="jobs" target="sink" method="post" action="BASE/jobs"><input name="RUNID" value="x"></form>
<form id="logout" target="sink" method="post" action="BASE/logout"></form>
<form id="text" target="sink" method="post" enctype="text/plain" action="BASE/request">
<input name='{"task":{"type":"https://www.purl.org/ivoa-net/task-type/executable",
"spec":{"command":["sort"]}}, "x":"' value='"}'></form>
<script>
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
(async () => {
  for (const id of ['jobs', 'logout', 'text']) { document.getElementById(id).submit(); await wait(300); }
  const sent = { method: 'POST', mode: 'no-cors', credentials: 'include', body: 'task: {}' };
  for (const [path, type] of [['/request', 'text/yaml'], ['/request', 'text/plain'], ['/logout', 'text/plain']])
    await fetch('BASE' + path, { ...sent, headers: { 'Content-Type': type } }).catch(() => 0);
  await fetch('BASE/me', { credentials: 'include' }).catch(() => undefined);
  document.title = 'done';
})();
</script>`;

/** A request of a script of the page; with a body it is a POST in JSON. */
function ask(page: Page, path: string, body?: object): Promise<Answer> {
  return page.evaluate(
    async ([to, text]) => {
      const sent = { method: 'POST', body: text, headers: { 'Content-Type': 'application/json' } };
      const response = await fetch(to, {
        ...(text === '' ? {} : sent),
        headers: { ...(text === '' ? {} : sent.headers), Accept: 'application/json' },
      });
      return { status: response.status, text: await response.text() };
    },
    [path, body === undefined ? '' : JSON.stringify(body)] as const,
  );
}

/** The schemes for which the browser would open its own dialog, from now on. */
async function dialogsOf(page: Page): Promise<readonly string[]> {
  const schemes: string[] = [];
  const session = await page.context().newCDPSession(page);
  session.on('Fetch.requestPaused', ({ requestId }) => {
    void session.send('Fetch.continueRequest', { requestId }).catch(() => undefined);
  });
  session.on('Fetch.authRequired', ({ requestId, authChallenge }) => {
    schemes.push(authChallenge.scheme);
    const authChallengeResponse = { response: 'CancelAuth' } as const;
    void session
      .send('Fetch.continueWithAuth', { requestId, authChallengeResponse })
      .catch(() => undefined);
  });
  await session.send('Fetch.enable', { handleAuthRequests: true });
  return schemes;
}

/** Fills in the pages of the test's provider. */
async function signInAtIssuer(page: Page, user: string): Promise<void> {
  await page.locator('[name=login]').fill(user);
  await page.locator('[name=password]').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

async function counts({ db }: TestService): Promise<readonly number[]> {
  return [
    await db.database.ask.count(),
    await db.database.job.count(),
    await db.database.signIn.count(),
  ];
}
