import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { noBrowser, openChromium } from '../../browser/chromium.ts';
import { startProxy } from '../../harness/proxy.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { SMALL_RULES, SMALL_SITE } from '../../harness/site.ts';
import {
  closeConsole,
  getsFocus,
  openConsole,
  SCREEN,
  type ConsoleWindow,
} from './open-console.ts';

const PROBLEM = 'application/problem+json';

function problem(status: number, code: string, more: object = {}) {
  return {
    status,
    contentType: PROBLEM,
    body: JSON.stringify({
      type: `urn:execution-planner:problem:${code}`,
      title: code,
      status,
      code,
      detail: `What ${code} says.`,
      ...more,
    }),
  };
}

(noBrowser === undefined ? describe : describe.skip)(
  `what the console says when something does not work (${noBrowser ?? 'Chromium'})`,
  () => {
    let service: TestService;
    let browser: Browser;
    let window: ConsoleWindow;
    beforeAll(async () => {
      service = await startTestService(SMALL_SITE, SMALL_RULES);
      browser = await openChromium();
    });
    afterAll(async () => {
      await browser.close();
      await service.close();
    });
    beforeEach(async () => {
      await service.db.database.$executeRaw`TRUNCATE ask CASCADE`;
      window = await openConsole(browser, `${service.url}/`);
    });
    afterEach(() => closeConsole(window));
    const send = () => window.page.getByRole('button', { name: 'Ask', exact: true }).click();
    const yes = () => window.page.getByRole('heading', { name: /^YES/ }).waitFor();

    test.each([
      [401, 'token-required', 'Sign in'],
      [503, 'rules-unavailable', 'Try again'],
    ])('%d is said, with what helps', async (status, code, help) => {
      const { page } = window;
      await page.route('**/request', (route) => route.fulfill(problem(status, code)));
      await send();
      const box = page.getByRole('alert');
      await box.getByText(`What ${code} says.`).waitFor();
      expect(await box.getByText(help, { exact: true }).count()).toBe(1);
    });

    test('429 says how long to wait, and trying again sends the same question', async () => {
      const { page } = window;
      const keys: (string | undefined)[] = [];
      await page.route('**/request', async (route) => {
        keys.push(route.request().headers()['idempotency-key']);
        if (keys.length > 1) return route.continue();
        return route.fulfill({
          ...problem(429, 'too-many-asks'),
          headers: { 'Retry-After': '7', 'Content-Type': PROBLEM },
        });
      });
      await send();
      await page.getByText('The service asks to wait for 7 s.').waitFor();
      await page.getByRole('button', { name: 'Try again' }).click();
      await yes();
      expect(keys).toHaveLength(2);
      expect(keys[0]).toBe(keys[1]);
    });

    test('an answer that is lost costs nothing: the service decides once', async () => {
      const { page } = window;
      let tries = 0;
      await page.route('**/request', async (route) => {
        tries += 1;
        if (tries > 1) return route.continue();
        await route.fetch();
        return route.abort();
      });
      await send();
      await page.getByRole('heading', { name: 'The service does not answer' }).waitFor();
      await page.getByRole('button', { name: 'Try again' }).click();
      await yes();
      expect(await service.db.database.ask.count()).toBe(1);
    });

    test('409 leads to the job that was accepted instead, and 410 to asking again', async () => {
      const { page } = window;
      await send();
      await yes();
      await page.route('**/offers/*', (route) =>
        route.request().method() === 'POST'
          ? route.fulfill(problem(409, 'offer-decided', { winner: 'another' }))
          : route.continue(),
      );
      await page.getByRole('button', { name: /^Accept/ }).click();
      const link = page.getByRole('link', { name: 'See the job that was accepted' });
      expect(await link.getAttribute('href')).toBe('#/jobs/another');
      await page.route('**/offers/*', (route) =>
        route.request().method() === 'POST'
          ? route.fulfill(problem(410, 'offer-expired'))
          : route.continue(),
      );
      await page.getByRole('button', { name: /^Accept/ }).click();
      await page.getByText('What offer-expired says.').waitFor();
      await page.getByRole('button', { name: 'Ask again' }).click();
      await page.getByText('What offer-expired says.').waitFor({ state: 'detached' });
    });

    test.each([
      [/^Accept/, 'Accept …'],
      ['Give all back', 'Give all back …'],
    ])(
      'of a slow service, %s says that it works, keeps the focus, and is sent once',
      async (name, busy) => {
        const { page } = window;
        await send();
        await yes();
        let [posts, answer] = [0, (): void => undefined];
        const isAnswered = new Promise<void>((done) => {
          answer = done;
        });
        await page.route('**/offers/*', async (route) => {
          if (route.request().method() !== 'POST') return route.continue();
          posts += 1;
          await isAnswered;
          return route.continue();
        });
        await page.getByRole('button', { name }).press('Enter');
        await page.getByRole('button', { name: busy }).waitFor();
        expect(await getsFocus(window, new RegExp(`^BUTTON ${busy}$`))).toBe(true);
        for (const each of await page.getByRole('button', { name: /^Accept|^Giv/ }).all()) {
          expect(await each.getAttribute('aria-disabled')).toBe('true');
          await each.press('Enter');
        }
        answer();
        await page
          .getByText(/Job at a|no longer held/)
          .first()
          .waitFor();
        expect(posts).toBe(1);
      },
    );

    test('of two tabs that accept, the second learns of the job of the first', async () => {
      const { page } = window;
      await send();
      await yes();
      const ident = page.url().split('/').at(-1);
      const [offer] = await service.db.database.offer.findMany({ where: { askId: ident ?? '' } });
      await fetch(`${service.url}/offers/${offer?.id}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"status":"ACCEPTED"}',
      });
      await page.evaluate("dispatchEvent(new Event('focus'))");
      await page.getByRole('link', { name: 'See its job' }).first().waitFor();
      expect(await page.getByRole('button', { name: /^Accept/ }).count()).toBe(0);
    });

    test('a screen has its heading while it is loaded, and the focus is there then', async () => {
      const { page } = window;
      let load = (): void => undefined;
      const isAsked = new Promise<void>((done) => {
        load = done;
      });
      await page.route(/\/console\/part-/, async (route) => {
        await isAsked;
        await route.continue();
      });
      await page.getByRole('link', { name: 'Calendar' }).press('Enter');
      await page.locator('.loading').waitFor();
      expect(await page.getByRole('heading', { level: 1 }).allTextContents()).toEqual(['Calendar']);
      load();
      await page.locator(SCREEN).waitFor();
      expect(await getsFocus(window, /^H1 Calendar$/)).toBe(true);
    });

    test('an unknown screen leads back', async () => {
      const { page } = window;
      await page.goto(`${service.url}/#/what`);
      await page.getByRole('heading', { name: 'There is no such screen' }).waitFor();
      await page.getByRole('link', { name: 'To the first screen' }).click();
      await page.getByRole('heading', { name: 'Ask', exact: true }).waitFor();
      expect(page.url()).toBe(`${service.url}/#/ask`);
    });

    test('below a path of a proxy everything is there, too', async () => {
      const proxy = await startProxy(service.url, {
        prefix: '/space/planner',
        headers: ({ host }) => ({ host }),
      });
      const below = await openConsole(browser, `http://127.0.0.1:${proxy.port}/space/planner/`);
      try {
        const { page } = below;
        await page.getByRole('button', { name: 'Ask', exact: true }).click();
        await page.getByRole('button', { name: /^Accept/ }).click();
        await page.getByRole('heading', { name: 'Job at a' }).waitFor();
        expect(page.url()).toContain('/space/planner/#/jobs/');
      } finally {
        await closeConsole(below);
        await proxy.close();
      }
    });
  },
);
