import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { noBrowser, openChromium } from '../../browser/chromium.ts';
import { until } from '../../cli/service-process.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { processDestination, SMALL_RULES } from '../../harness/site.ts';
import { axeOf, closeConsole, openConsole, getsFocus, type ConsoleWindow } from './open-console.ts';

const SITE = {
  rules: ['rules.yml'],
  storage: [{ name: 'archive', type: 'directory', path: 'archive', size: '10GiB' }],
  destinations: { a: processDestination(), b: processDestination({ cores: 8 }) },
};
const TYPE = 'https://www.purl.org/ivoa-net/task-type/executable';
const RULES = { destinations: { a: { runner: 'process' }, b: { runner: 'process' } } };

(noBrowser === undefined ? describe : describe.skip)(
  `asking in the console (${noBrowser ?? 'Chromium'})`,
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
    // Offers of the test before would hold what this one asks for.
    beforeEach(() => service.db.database.$executeRaw`TRUNCATE ask CASCADE`);
    afterEach(() => closeConsole(window));

    /** Opens the form and chooses a program of the machine, which this site runs. */
    const openForm = async (options = {}): Promise<ConsoleWindow> => {
      window = await openConsole(browser, `${service.url}/`, options);
      await window.page.getByText('Program of the machine').first().click();
      return window;
    };
    const send = () => window.page.getByRole('button', { name: 'Ask', exact: true }).click();

    test('a YES has the focus, says how long it is held, and can be given back', async () => {
      const { page } = await openForm();
      await send();
      await page.getByRole('heading', { name: 'YES 2 offers' }).waitFor();
      expect(await getsFocus(window, /^\w+ YES 2 offers$/)).toBe(true);
      expect(await page.getByRole('timer').first().textContent()).toMatch(
        /^held for (5:00|4:\d\d)$/,
      );
      await page.getByRole('link', { name: 'Ask 2 open offers' }).waitFor();
      const status = page.getByRole('region', { name: /^YES/ }).getByRole('status');
      await status.evaluate((element) => void (element.id = 'was-there'));
      await page.getByRole('button', { name: 'Give all back' }).press('Enter');
      await status.getByText('The offers are no longer held.').waitFor();
      // A region that comes with its sentence is not read out.
      expect(await status.getAttribute('id')).toBe('was-there');
      expect(await getsFocus(window, /^H2 YES 2 offers$/)).toBe(true);
      await page.getByText('given back').nth(1).waitFor();
      await page.getByRole('link', { name: 'Ask', exact: true }).waitFor();
    });

    test('a NO leads to the nearest YES with one button', async () => {
      const { page } = await openForm();
      await page.getByLabel('Cores, at least').fill('99');
      await send();
      await page.getByRole('heading', { name: 'NO It cannot run as asked' }).waitFor();
      await page.getByRole('button', { name: 'Ask for that instead' }).click();
      await page.getByRole('heading', { name: /^YES/ }).waitFor();
      expect(await page.getByLabel('Cores, at least').inputValue()).toBe('8');
    });

    test('times and storage are checked, asked, and shown with the nearest YES', async () => {
      const { page } = await openForm();
      const day = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
      const latest = page.getByLabel(/at the latest/);
      const scratch = page.getByLabel('Scratch space, GiB');
      await page.getByLabel(/^Starts between/).fill(`${day}T10:00`);
      await latest.fill(`${day}T09:00`);
      await page.getByText('Storage', { exact: true }).click();
      await scratch.fill('999');
      await page.getByText('More than there is: here at most 80 GiB.').waitFor();
      await page.getByLabel('Folder that stays, GiB').fill('2');
      await page.getByLabel('Days that it stays').fill('3');
      await send();
      await page.locator('input:focus:invalid').waitFor();
      await page.getByText('This must be later than now and than the earliest start.').waitFor();
      await latest.fill(`${day}T19:00`);
      expect(await axeOf(window)).toEqual([]);
      await send();
      await page.getByRole('heading', { name: 'NO It cannot run as asked' }).waitFor();
      await page.getByRole('button', { name: 'Ask for that instead' }).click();
      await page.getByRole('heading', { name: /^YES/ }).waitFor();
      expect(Number(await scratch.inputValue())).toBeLessThanOrEqual(80);
      expect(await latest.inputValue()).toBe(`${day}T19:00`);
      expect(await page.getByLabel('Days that it stays').inputValue()).toBe('3');
      const [asked] = await service.db.database.ask.findMany({ where: { result: 'YES' } });
      expect(asked?.document).toMatchObject({
        time: [{ start: expect.stringMatching(/Z\/.*Z$/) }],
        resources: {
          compute: [{ volumes: [{ path: 'scratch' }, { path: 'kept' }] }],
          storage: [{ name: 'scratch' }, { name: 'kept', size: '2GiB', lifetime: 'P3D' }],
        },
      });
      await page
        .getByRole('button', { name: /^Accept/ })
        .first()
        .click();
      await page.getByRole('heading', { name: /^Job at/ }).waitFor();
    });

    test('a NO that says when there is room has a button that asks for that time', async () => {
      const { page } = await openForm();
      const task = { type: TYPE, spec: { command: ['true'] } };
      const send = (document: object): Promise<Response> =>
        fetch(`${service.url}/request`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
          body: JSON.stringify(document),
        });
      const most = { resources: { compute: [{ 'min-cores': 8 }] } };
      await send({ task, ...most, time: [{ duration: 'PT1H' }] });
      const soon = new Date(Date.now() + 60_000).toISOString();
      const answer: unknown = await (
        await send({ task, ...most, time: [{ start: `${soon}/PT1H`, duration: 'PT30M' }] })
      ).json();
      const { ident } = Object(Object(answer).response);
      await page.goto(`${service.url}/#/asks/${ident}`);
      await page.getByRole('heading', { name: /^NO/ }).waitFor();
      await page.getByRole('button', { name: /^Ask for \w+ \d/ }).press('Enter');
      await page.getByRole('button', { name: 'Ask', exact: true }).press('Enter');
      expect(await getsFocus(window, /^H2 YES/)).toBe(true);
    });

    test('offers that are no longer held say so, and can be asked for again', async () => {
      const { page } = await openForm();
      // The times of the service, which an event brings again, are not those of this clock.
      await page.route('**/events', (route) => route.abort());
      await page.reload();
      await page.getByText('Program of the machine').first().click();
      await page.clock.install();
      await send();
      await page.getByRole('heading', { name: 'YES 2 offers' }).waitFor();
      await page.clock.fastForward('04:30');
      await page.getByText(/^The offers are held for [23]\d more seconds\.$/).waitFor();
      await page.clock.fastForward('00:40');
      await page.getByText('The offers are no longer held').first().waitFor();
      expect(await page.getByRole('button', { name: /^Accept/ }).count()).toBe(0);
      await page.getByRole('button', { name: 'Ask again' }).click();
      await page
        .getByRole('button', { name: /^Accept/ })
        .first()
        .waitFor();
    });

    test('open offers are not forgotten: not by another ask, and not by loading the page again', async () => {
      const { page } = await openForm();
      await send();
      await page.getByRole('heading', { name: 'YES 2 offers' }).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: 'YES 2 offers' }).waitFor();
      await page.getByRole('link', { name: 'Ask 2 open offers' }).click();
      await page.getByRole('heading', { name: 'Your open offers' }).waitFor();
      await page.getByLabel('Cores, at least').fill('99');
      await send();
      await page.getByRole('heading', { name: /^NO/ }).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: /^NO/ }).waitFor();
      expect(await page.getByLabel('Cores, at least').inputValue()).toBe('99');
      await page.getByRole('link', { name: 'Ask 2 open offers' }).click();
      await page
        .getByRole('button', { name: 'Give back Program of the machine: 2 offers' })
        .press('Enter');
      expect(await getsFocus(window, /^H2 How it works$/)).toBe(true);
      await page.getByRole('link', { name: 'Ask', exact: true }).waitFor();
      expect(await page.getByRole('heading', { name: 'Your open offers' }).count()).toBe(0);
    });

    test('an answer that comes late leaves what somebody has asked for meanwhile', async () => {
      const { page } = await openForm();
      await page.getByLabel('Cores, at least').fill('99');
      await send();
      await page.getByRole('heading', { name: /^NO/ }).waitFor();
      const [late, asked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const arrived = page.waitForResponse(/\/asks\/[\w-]+$/);
      await page.route(/\/asks\/[\w-]+$/, async (route) => {
        await late.promise;
        await route.continue();
      });
      await page.route('**/request', async (route) => {
        await asked.promise;
        await route.continue();
      });
      await page.reload();
      await page.getByText('Program of the machine').first().click();
      await send();
      late.resolve();
      await (await arrived).finished();
      // What the page does with it is done when it has handled this.
      await page.evaluate('new Promise((done) => setTimeout(done, 50))');
      asked.resolve();
      expect(await getsFocus(window, /^H2 YES 2 offers$/)).toBe(true);
    });

    test('words with line ends, which the fields cannot show, are edited as JSON and stay as they are', async () => {
      const command = ['sh', '-c', 'echo 1\necho 2'];
      const answer: unknown = await (
        await fetch(`${service.url}/request`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
          body: JSON.stringify({ task: { type: TYPE, spec: { command } } }),
        })
      ).json();
      const { ident } = Object(Object(answer).response);
      window = await openConsole(browser, `${service.url}/#/asks/${ident}`);
      const { page } = window;
      await page.getByRole('heading', { name: /^YES/ }).waitFor();
      const spec = page.getByLabel(/JSON/);
      expect(JSON.parse(await spec.inputValue())).toEqual({ command });
      await spec.fill(JSON.stringify({ command: [...command, 'x'] }));
      await send();
      await page.waitForURL((url) => !url.hash.endsWith(String(ident)));
      const asked = await service.db.database.ask.findMany({ orderBy: { createdAt: 'asc' } });
      expect(asked.at(-1)?.document).toMatchObject({
        task: { spec: { command: [...command, 'x'] } },
      });
    });

    test('the fields show what is asked, also after a step back to an earlier answer', async () => {
      const { page } = await openForm();
      const environment = page.getByLabel(/^Environment/);
      await page.getByText('More', { exact: true }).click();
      const fieldIs = (text: string) =>
        until('its field', async () => (await environment.inputValue()) === text);
      await environment.fill('A=1');
      await send();
      await page.waitForURL(/#\/asks\//);
      const { hash } = new URL(page.url());
      await environment.fill('A=2');
      await send();
      await page.waitForURL((url) => url.hash !== hash);
      await page.goBack();
      expect(await fieldIs('A=1')).toBe(true);
    });

    test('a step back in the moment of an answer shows the earlier one', async () => {
      const { page } = await openForm();
      // Its listener comes before that of the page, which hears of the answer's address too late.
      await page.addInitScript(`addEventListener('hashchange', () => {
        if (globalThis.back !== undefined) location.hash = globalThis.back;
        delete globalThis.back;
      })`);
      await page.reload();
      await page.getByText('Program of the machine').first().click();
      await page.evaluate("globalThis.back = '#/ask'");
      await send();
      await page.getByRole('heading', { name: 'Your open offers' }).waitFor();
      await send();
      await page.getByRole('heading', { name: /^YES/ }).waitFor();
      await page.getByText('More', { exact: true }).click();
      const environment = page.getByLabel(/^Environment/);
      const before = await environment.inputValue();
      await environment.fill('A=2');
      await page.evaluate('globalThis.back = location.hash');
      await send();
      expect(
        await until('its field', async () => (await environment.inputValue()) === before),
      ).toBe(true);
    });

    test('an answer that cannot be read can be tried again, and hides no other one', async () => {
      const { page } = await openForm();
      const unknown = '01a1fca5-78ae-7cd0-9c41-2f6f0c3f7a10';
      await page.goto(`${service.url}/#/asks/${unknown}`);
      const trouble = page.getByRole('alert');
      await trouble.getByText(`no ask ${unknown}`).waitFor();
      await page.route('**/request', (route) => route.abort());
      await send();
      await trouble.getByText('The service does not answer').waitFor();
      await page.unroute('**/request');
      await trouble.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('heading', { name: /^YES/ }).waitFor();
      await page.goBack();
      const read = page.waitForResponse(`**/asks/${unknown}`);
      await trouble.getByRole('button', { name: 'Try again' }).click();
      expect((await read).status()).toBe(404);
    });

    test('times are of the service, whatever the clock of the page says', async () => {
      const { page } = await openForm();
      await page.clock.install({ time: Date.now() - 5 * 3_600_000 });
      await page.reload();
      await page.getByText('Program of the machine').first().click();
      await send();
      await page.getByRole('heading', { name: /^YES/ }).waitFor();
      const starts = page.locator('dt', { hasText: 'Starts' }).first().locator('xpath=../dd');
      expect(await starts.textContent()).toBe('now');
    });

    test('a link to an offer shows it, and it can be accepted there', async () => {
      const { page } = await openForm();
      await send();
      await page.getByRole('heading', { name: 'YES 2 offers' }).waitFor();
      const [first] = await service.db.database.offer.findMany();
      await page.goto(`${service.url}/offers/${first?.id}`);
      await page.getByRole('heading', { name: 'Offer', exact: true }).waitFor();
      expect(page.url()).toBe(`${service.url}/#/offers/${first?.id}`);
      await page.getByRole('button', { name: /^Accept/ }).click();
      await page.getByRole('heading', { name: /^Job at/ }).waitFor();
    });
  },
);
