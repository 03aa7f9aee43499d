import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { noBrowser, openChromium } from '../../browser/chromium.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { processDestination, SMALL_ASK, SMALL_RULES } from '../../harness/site.ts';
import { largeCalendar } from './large-calendar.ts';
import { longestTask, mostOfTask } from './longest-task.ts';
import { axeOf, openConsole, type ConsoleWindow } from './open-console.ts';

const HOUR = 3_600_000;
const SITE = {
  rules: ['rules.yml'],
  destinations: {
    a: processDestination(),
    b: processDestination({
      cores: 8,
      maintenance: [
        { start: at(24), duration: 'PT6H', reason: 'new discs' },
        { start: at(72), duration: 'PT6H', reason: 'half of it', cores: 4 },
      ],
    }),
  },
};
const RULES = { destinations: { a: { runner: 'process' }, b: { runner: 'process' } } };

(noBrowser === undefined ? describe : describe.skip)(
  `the calendar of the console (${noBrowser ?? 'Chromium'})`,
  () => {
    let service: TestService;
    let browser: Browser;
    let window: ConsoleWindow;
    beforeAll(async () => {
      service = await startTestService(SITE, { ...SMALL_RULES, ...RULES });
      browser = await openChromium();
    });
    afterAll(async () => {
      await browser.close();
      await service.close();
    });
    afterEach(async () => {
      await window.page.context().close();
      if (window.complaints.length > 0) throw new Error(window.complaints.join('\n'));
    });

    const open = async (address = '#/calendar', options: BrowserContextOptions = {}) => {
      window = await openConsole(browser, `${service.url}/${address}`, options);
      return window.page;
    };
    /** Opens the calendar with ten destinations instead of the service's. */
    const openLarge = async (steps: number, options: BrowserContextOptions = {}) => {
      const page = await open('#/me', options);
      await page.route(/\/calendar\?/, async (route) => {
        const query = new URL(route.request().url()).searchParams;
        const from = Date.parse(query.get('from') ?? '') || Date.now();
        await route.fulfill({
          json: largeCalendar(from, Date.parse(query.get('to') ?? ''), steps),
          headers: { etag: 'W/"large"' },
        });
      });
      await page.goto(`${service.url}/#/calendar`);
      await page.getByRole('img', { name: /^night-queue/ }).waitFor();
      return page;
    };

    test('has a row for each destination: an image with a sentence, and the amounts that are held', async () => {
      await fetch(`${service.url}/request`, {
        method: 'POST',
        body: SMALL_ASK,
        headers: { 'Content-Type': 'application/json' },
      });
      const page = await open();
      const row = page.getByRole('img', { name: /^b: 6 of 8 cores free on / });
      await row.waitFor();
      expect(await row.getAttribute('aria-label')).toContain('Yours: from ');
      expect(await row.getAttribute('aria-label')).toMatch(
        /Least free: 0, from .* to .*\. Maintenance \(new discs\) from .* Maintenance \(half of it\)/,
      );
      expect(await page.getByText('6 of 8 free').count()).toBe(1);
      await page.getByText('memory', { exact: true }).click();
      await page
        .getByRole('img', { name: /GiB of memory free/ })
        .first()
        .waitFor();
      await page.getByText('GPUs', { exact: true }).click();
      await page.getByText('no GPUs').first().waitFor();
      expect(page.url()).toMatch(/#\/calendar\?show=gpus$/);
      await page.getByRole('link', { name: 'b', exact: true }).click();
      await page.getByRole('heading', { name: 'Yours' }).waitFor();
      expect(
        await page.getByRole('link', { name: 'Open offer', exact: true }).getAttribute('href'),
      ).toMatch(/^#\/asks\//);
      await service.db.database.$executeRaw`TRUNCATE ask CASCADE`;
    });

    test('is in UTC where the machine of the browser does not know its zone', async () => {
      const lost = await openChromium({}, { TZ: 'Not/AZone' });
      const page = await lost.newPage();
      window = { page, complaints: [] };
      await page.goto(`${service.url}/#/calendar`);
      await page.getByText(/Times are \S+ \(UTC\)/).waitFor();
      expect(await page.getByLabel('Time zone of all times').inputValue()).toBe('UTC');
      await lost.close();
    });

    test('is looked at with keys, a quarter of an hour each, and with the pointer', async () => {
      const page = await openLarge(50);
      const slider = page.getByRole('slider', { name: 'Look at' });
      await slider.focus();
      const before = Number(await slider.inputValue());
      for (let i = 0; i < 8; i += 1) await page.keyboard.press('ArrowRight');
      expect(Number(await slider.inputValue()) - before).toBe(2 * HOUR);
      expect(await slider.getAttribute('aria-valuetext')).toMatch(
        /^\w{3} \d+ \w{3}, \d\d:(00|15|30|45)$/,
      );
      const amounts = await amountsOf(page);
      await page.keyboard.press('End');
      await until(async () => (await amountsOf(page)).join() !== amounts.join());
      const chart = page.getByRole('img', { name: /^survey-a/ });
      const box = await chart.boundingBox();
      await chart.hover({ position: { x: (box?.width ?? 0) * (30 / 168), y: 5 } });
      await page.locator('.amount').getByText('maintenance').waitFor();
      const share = (Number(await slider.inputValue()) - before) / (7 * 24 * HOUR);
      expect(share).toBeCloseTo(30 / 168, 2);
    });

    test('with keys only, finds room and leads to the form with amounts and start', async () => {
      const page = await openLarge(50);
      await page.getByLabel('Cores', { exact: true }).focus();
      await page.keyboard.press('Control+A');
      await page.keyboard.type('40');
      await page.keyboard.press('Tab');
      await page.keyboard.type('32');
      await page.keyboard.press('Tab');
      await page.keyboard.type('6');
      await page.keyboard.press('Enter');
      await page.getByText(/^Room at \d+ destinations?/).waitFor();
      await page.getByText(/^Too small: notebooks, /).waitFor();
      expect(await page.locator('.chart .found').count()).toBeGreaterThan(0);
      const places = page.locator('.rooms a');
      const last = await places.last().textContent();
      await places.last().focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Ask', level: 1 }).waitFor();
      expect(await page.getByLabel('Cores, at least').inputValue()).toBe('40');
      expect(await page.getByLabel('Memory, GiB').inputValue()).toBe('32');
      expect(await page.getByLabel('Hours').inputValue()).toBe('6');
      const start = await page.getByLabel(/^Starts between/).inputValue();
      expect(last).toContain(start.slice(-5));
      // The link says what the service would answer, which knows more than the book.
      await page.getByRole('heading', { name: 'NO It would not run as it is' }).waitFor();
      await page.getByRole('button', { name: 'Ask for that instead' }).waitFor();
      expect(await axeOf(window)).toEqual([]);
    });

    test('leads to a form that says that it would be a YES, and holds nothing', async () => {
      const page = await open();
      await page.getByLabel('Cores', { exact: true }).fill('2');
      await page.getByLabel('Memory, GiB').fill('1');
      await page.getByLabel('Hours').fill('1');
      await page.getByRole('button', { name: 'Find' }).click();
      await page.locator('.rooms a').first().click();
      await page.getByText('Checked: this would be a YES now.').waitFor();
      await page.getByText('a, starts now').waitFor();
      expect(await service.db.database.offer.count()).toBe(0);
      // Another form has another answer.
      await page.getByLabel('Cores, at least').fill('3');
      await page.getByText('Checked: this would be a YES now.').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Ask', exact: true }).click();
      await page.getByRole('heading', { name: /^YES/ }).waitFor();
      await service.db.database.$executeRaw`TRUNCATE ask CASCADE`;
    });

    test('goes to later times and back, and says what is not there yet', async () => {
      const page = await open();
      await page.getByRole('img').first().waitFor();
      const button = (name: string) => page.getByRole('button', { name, exact: true });
      expect(await button('Earlier').getAttribute('aria-disabled')).toBe('true');
      await button('Later').click();
      await page.waitForURL(/from=/);
      await page.waitForFunction(`document.querySelector('[aria-disabled="true"]') === null`);
      await button('Earlier').click();
      await page.waitForURL((url) => !url.hash.includes('from'));
      await page.getByText('30 days', { exact: true }).click();
      await page.waitForURL(/days=30/);
      await until(async () => (await shownHours(page)) > 29 * 24);
      expect(await button('Later').getAttribute('aria-disabled')).toBe('true');
      await page.getByText('1 day', { exact: true }).click();
      await until(async () => (await shownHours(page)) < 25);
    });

    test('of one destination has a row for each resource, and its maintenance', async () => {
      const page = await open();
      await page.getByRole('link', { name: 'b', exact: true }).click();
      await page.getByRole('heading', { name: 'b', level: 1 }).waitFor();
      await page.getByText(/^half of it, from .*, takes 4 cores$/).waitFor();
      expect(await page.getByRole('img').count()).toBe(3);
      await page.getByText('The same as a table').click();
      await page.getByRole('table').waitFor();
      expect(await page.getByRole('row').count()).toBeGreaterThan(4);
      expect(await axeOf(window)).toEqual([]);
      await page.getByRole('link', { name: 'All destinations' }).click();
      await page.getByRole('img', { name: /^a:/ }).waitFor();
    });

    test('is read again every minute, and not again what is the same', async () => {
      const page = await open('#/me');
      await page.clock.install();
      const tags: (string | undefined)[] = [];
      await page.route(/\/calendar\?/, async (route) => {
        tags.push(route.request().headers()['if-none-match']);
        if (tags.length > 1) await route.fulfill({ status: 304 });
        else
          await route.fulfill({
            json: largeCalendar(Date.now(), Date.now() + 24 * HOUR, 5),
            headers: { etag: 'W/"one"' },
          });
      });
      await page.goto(`${service.url}/#/calendar`);
      await page.getByRole('img').first().waitFor();
      const again = page.waitForResponse(/\/calendar\?/);
      await page.clock.runFor('01:15');
      await again;
      expect(tags).toEqual([undefined, 'W/"one"']);
      expect(await page.getByRole('img').count()).toBe(10);
      expect(await page.getByRole('alert').count()).toBe(0);
    });

    test('keeps what it has when the service does not answer, and says so', async () => {
      const page = await openLarge(5);
      await page.route(/\/calendar\?/, (route) => route.abort());
      await page.getByText('1 day', { exact: true }).click();
      await page.getByRole('alert').waitFor();
      expect(await page.getByText('What you see is older.').count()).toBe(1);
      expect(await page.getByRole('img').count()).toBe(10);
      expect(await axeOf(window)).toEqual([]);
      await page.unroute(/\/calendar\?/);
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('img', { name: /^b:/ }).waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
    });
    test('of 10,000 steps is drawn, searched and looked at without a long task', async () => {
      const page = await openLarge(1000);
      await browser.startTracing(page, { categories: ['toplevel'] });
      await page.reload();
      await page.getByText('3 days', { exact: true }).click();
      await until(async () => (await shownHours(page)) < 73);
      await page.getByRole('button', { name: 'Find' }).click();
      await page.getByText('memory', { exact: true }).click();
      await page
        .getByRole('img', { name: /memory/ })
        .first()
        .waitFor();
      const box = await page.getByRole('img').first().boundingBox();
      for (let x = 0; x < 300; x += 10) await page.mouse.move((box?.x ?? 0) + x, (box?.y ?? 0) + 5);
      await page.getByText('The same as a table').click();
      await page.getByRole('table').waitFor();
      const longest = longestTask(await browser.stopTracing());
      expect(longest).toBeGreaterThan(0);
      expect(longest).toBeLessThan(mostOfTask());
    });
  },
);

function amountsOf(page: Page): Promise<readonly string[]> {
  return page.locator('.amount').allTextContents();
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await setTimeout(20);
}

/** How much time the slider has. */
async function shownHours(page: Page): Promise<number> {
  const slider = page.getByRole('slider');
  const [min, max] = [await slider.getAttribute('min'), await slider.getAttribute('max')];
  return (Number(max) - Number(min)) / HOUR;
}

function at(hours: number): string {
  return new Date(Math.floor(Date.now() / HOUR) * HOUR + hours * HOUR).toISOString();
}
