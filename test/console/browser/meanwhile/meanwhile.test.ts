import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Browser, Route } from 'playwright-core';
import { noBrowser, openChromium } from '../../../browser/chromium.ts';
import { startTestService, type TestService } from '../../../harness/service.ts';
import { processDestination, SMALL_RULES, tokenOf } from '../../../harness/site.ts';
import { until } from '../../../cli/service-process.ts';
import { closeConsole, openConsole, type ConsoleWindow } from '../open-console.ts';

const TYPE = 'https://www.purl.org/ivoa-net/task-type/executable';
const SITE = {
  rules: ['rules.yml'],
  identity: {
    tokens: [tokenOf('ada-token', { roles: ['operators'] })],
    administrators: ['operators'],
  },
  destinations: { a: processDestination({ cores: 100, memory: '400GiB', scratch: '9TiB' }) },
};
/** What Chromium does to a tab behind another. */
const HIDE = `Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
  document.dispatchEvent(new Event('visibilitychange'))`;
const SHOW = `delete document.visibilityState; document.dispatchEvent(new Event('visibilitychange'))`;

(noBrowser === undefined ? describe : describe.skip)(
  `what happens in the console while a request is on its way (${noBrowser ?? 'Chromium'})`,
  () => {
    let service: TestService;
    let browser: Browser;
    let window: ConsoleWindow;
    beforeAll(async () => {
      service = await startTestService(SITE, SMALL_RULES);
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

    /** Keeps requests back. @returns lets them go, and waits until the page has their answer */
    const hold = async (place: string | RegExp): Promise<() => Promise<void>> => {
      const { page } = window;
      const release = Promise.withResolvers<void>();
      await page.route(place, async (route) => {
        if (route.request().method() === 'POST') await release.promise;
        await route.continue();
      });
      const answer = page.waitForResponse(
        (response) =>
          response.request().method() === 'POST' &&
          (typeof place === 'string'
            ? response.url().endsWith(place.slice(2))
            : place.test(response.url())),
      );
      return async () => {
        release.resolve();
        await (await answer).finished();
        await page.evaluate('new Promise((done) => setTimeout(done, 50))');
      };
    };
    const send = () => window.page.getByRole('button', { name: 'Ask', exact: true }).click();
    const open = (name: string) => window.page.getByRole('link', { name, exact: true }).click();
    const title = (name: RegExp | string) =>
      window.page.getByRole('heading', { level: 1, name }).waitFor();
    const signIn = async (): Promise<void> => {
      const { page } = window;
      await page.goto(`${service.url}/#/me`);
      await page.getByLabel('Token of the operator').fill('ada-token');
      await page.getByLabel('Token of the operator').press('Enter');
      await page.getByRole('heading', { name: 'ada@example.org' }).waitFor();
    };
    /** Asks as another program of the user does. @returns the first offer */
    const offer = async (): Promise<string> => {
      const response = await fetch(`${service.url}/request`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
        body: JSON.stringify({ task: { type: TYPE, spec: { command: ['true'] } } }),
      });
      const answer: unknown = await response.json();
      return String(Object(answer).response.offers[0].ident);
    };

    /** Has a list of as many open offers, two of an ask. @returns those that are given back */
    const listOffers = async (count: number): Promise<readonly string[]> => {
      const response = await fetch(`${service.url}/offers/${await offer()}`, {
        headers: { Accept: 'application/json' },
      });
      const document: unknown = await response.json();
      const all = Array.from({ length: count }, (_, at) => ({
        ...Object(document).offer,
        ident: identOf(at),
        ask: identOf(1000 + Math.ceil(at / 2)),
      }));
      const { page } = window;
      await page.route(/\/offers\?/, (route) => {
        const query = new URL(route.request().url()).searchParams;
        const from = Number(query.get('after') ?? 0);
        const to = from + Number(query.get('limit'));
        return route.fulfill({
          json: { offers: all.slice(from, to), ...(to < all.length && { next: String(to) }) },
        });
      });
      const returned: string[] = [];
      await page.route(/\/offers\/[\w-]+$/, (route) => {
        returned.push(route.request().url().slice(-36));
        return route.fulfill({ json: document });
      });
      return returned;
    };

    test('who opens another screen while an ask is answered stays there, and finds the answer later', async () => {
      const { page } = window;
      for (const [cores, answer] of [
        ['1', 'YES 1 offer'],
        ['999', 'NO It cannot run as asked'],
      ] as const) {
        await page.getByLabel('Cores, at least').fill(cores);
        const answered = await hold('**/request');
        await send();
        await open('Calendar');
        await title('Calendar');
        await answered();
        expect(new URL(page.url()).hash).toBe('#/calendar');
        await page.getByRole('navigation').getByRole('link', { name: /^Ask/ }).click();
        await page.getByRole('heading', { name: answer }).waitFor();
        expect(new URL(page.url()).hash).toMatch(/^#\/asks\//);
        await page.unroute('**/request');
      }
      await page.getByRole('navigation').getByRole('link', { name: /^Ask/ }).click();
      await page.getByRole('heading', { name: 'Your open offers' }).waitFor();
    });

    test('who opens another screen while an offer is accepted stays there', async () => {
      const { page } = window;
      await send();
      const accept = page.getByRole('button', { name: /^Accept/ }).first();
      await accept.waitFor();
      const accepted = await hold(/\/offers\/[\w-]+$/);
      await accept.click();
      await open('Calendar');
      await title('Calendar');
      await accepted();
      expect(new URL(page.url()).hash).toBe('#/calendar');
      expect(await service.db.database.offer.count({ where: { state: 'OFFERED' } })).toBe(0);
    });

    test('the screen of a job reads its offer once more where a busy service refused', async () => {
      const { page } = window;
      const ident = await offer();
      await fetch(`${service.url}/offers/${ident}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ status: 'ACCEPTED' }),
      });
      await page.route(/\/offers\/[\w-]+$/, (route) => route.fulfill({ status: 503 }), {
        times: 1,
      });
      await page.goto(`${service.url}/#/jobs/${ident}`);
      await page.getByRole('button', { name: 'Ask again' }).click();
      await title('Ask');
      expect(new URL(page.url()).hash).toBe('#/ask');
    });

    test('open offers beyond the first page of their list are counted and given back, too', async () => {
      const { page } = window;
      const returned = await listOffers(250);
      await page.reload();
      await page.getByRole('link', { name: 'Ask 250 open offers' }).waitFor();
      await page
        .getByRole('button', { name: /^Give back/ })
        .nth(100)
        .click();
      await until('both are given back', async () => returned.length >= 2);
      // One is on the first page, the other on the second.
      expect(returned.toSorted()).toEqual([identOf(199), identOf(200)]);
    });

    test('a list of offers is as long as it was after one of them was given back', async () => {
      const { page } = window;
      await signIn();
      await listOffers(250);
      await page.goto(`${service.url}/#/offers?owner=*`);
      const rows = page.locator('tbody tr');
      for (const shown of [50, 100, 150]) {
        await rows.nth(shown - 1).waitFor();
        if (shown < 150) await page.getByRole('button', { name: 'Older ones' }).click();
      }
      await rows
        .nth(120)
        .getByRole('button', { name: /^Give back/ })
        .click();
      await page.getByRole('dialog').getByLabel('Why, for the audit trail').fill('Nobody uses it');
      const again = page.waitForResponse(/\/offers\?.*after=100/);
      await page.getByRole('dialog').locator('button.main').click();
      await page.getByText('It is done.').waitFor();
      await again;
      expect(await rows.count()).toBe(150);
    });

    test('who comes back to a tab after the end of the sign-in is told so, where everybody may ask', async () => {
      const { page } = window;
      await signIn();
      await page.evaluate(HIDE);
      // The browser does so when the cookie is over.
      await page.context().clearCookies();
      await page.evaluate(SHOW);
      await page.getByText('You are no longer signed in as ada@example.org.').waitFor();
      expect(await page.getByRole('link', { name: 'Me', exact: true }).count()).toBe(1);
    });

    test('who opens another screen right after typing into a filter stays there', async () => {
      const { page } = window;
      await page.clock.install();
      await page.goto(`${service.url}/#/jobs`);
      await page.getByLabel('Name').fill('Deep');
      await open('Calendar');
      await title('Calendar');
      await page.clock.runFor(2000);
      expect(new URL(page.url()).hash).toBe('#/calendar');
    });

    test('who opens another screen in the moment in which a filter works stays there', async () => {
      const { page } = window;
      await page.goto(`${service.url}/#/jobs`);
      await page.getByLabel('Name').fill('Deep');
      // The filter is due, and the page has not heard of its new address yet.
      await page.evaluate(`{
        const field = document.activeElement;
        field.value = 'Deeper';
        field.dispatchEvent(new Event('input', { bubbles: true }));
        const end = performance.now() + 400;
        while (performance.now() < end);
        location.hash = '#/calendar';
      }`);
      await title('Calendar');
      expect(new URL(page.url()).hash).toBe('#/calendar');
    });

    test('a slow service is asked for the overview once more when it has answered', async () => {
      const { page } = window;
      await signIn();
      let asked = 0;
      const answered = Promise.withResolvers<void>();
      await page.route('**/overview', async (route) => {
        asked += 1;
        await answered.promise;
        await route.continue();
      });
      await page.clock.install();
      await open('Site');
      await until('it is asked', async () => asked > 0);
      // The page itself gives up after half a minute, of which a busy machine needs some.
      await page.clock.pauseAt(Date.now() + 1000);
      await page.clock.runFor(11_000);
      expect(asked).toBe(1);
      await page.clock.resume();
      answered.resolve();
      await page.getByRole('region', { name: 'Destinations' }).waitFor();
      await until('it is asked again', async () => asked > 1);
    });

    test('a reason that was typed is there again when the request with it failed', async () => {
      const { page } = window;
      await signIn();
      await open('Site');
      const button = page.getByRole('button', { name: 'Drain: a' });
      const reason = page.getByLabel('Reason, which clients read');
      await page.route('**/drain', (route: Route) => route.abort());
      await button.click();
      await reason.fill('New discs');
      await page.getByLabel(/^Until/).fill('2096-08-10T14:00');
      await reason.press('Enter');
      await page.getByRole('heading', { name: 'The service does not answer' }).waitFor();
      await page.unroute('**/drain');
      await button.click();
      expect(await reason.inputValue()).toBe('New discs');
      expect(await page.getByLabel(/^Until/).inputValue()).toBe('2096-08-10T14:00');
      await reason.press('Enter');
      await page.getByText('until Fri 10 Aug 2096, 14:00').waitFor();
    });
  },
);

function identOf(index: number): string {
  return `01a1fca5-d69a-71dd-a91d-${String(index).padStart(12, '0')}`;
}
