import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { noBrowser, openChromium } from '../../browser/chromium.ts';
import { startProxy, type Proxy } from '../../harness/proxy.ts';
import { processDestination } from '../../harness/site.ts';
import { startWholeService, type WholeService } from '../../harness/whole-service.ts';
import { until } from '../../uws/clients/worker.ts';
import { closeConsole, openConsole, SCREEN, type ConsoleWindow } from './open-console.ts';

/** Room for the offers of several asks in the share of one client. */
const ROOMY = { cores: 40, memory: '80GiB', scratch: '800GiB' };
const SITE = {
  rules: ['rules.yml'],
  destinations: { a: processDestination(ROOMY), b: processDestination(ROOMY) },
};
const RULES = { destinations: { a: { runner: 'process' }, b: { runner: 'process' } } };
const TYPE = 'https://www.purl.org/ivoa-net/task-type/executable';
const UNTIL_GO = 'while [ ! -e go ]; do sleep 0.1; done';
/** A progress bar, and lines for longer than a stream lives behind the cutting proxy. */
const PROGRAM =
  `printf '\\r10 %%'; sleep 1; printf '\\r50 %%'; ${UNTIL_GO}; printf '\\r100 %%\\n'; ` +
  'i=0; while [ $i -lt 40 ]; do i=$((i+1)); echo tick $i; sleep 0.4; done';
const PATIENCE = { timeout: 90_000 };
const CUT_MS = 2000;
/** What Chromium does to a tab behind another. */
const HIDE = `Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
  document.dispatchEvent(new Event('visibilitychange'))`;
const SHOW = `delete document.visibilityState; document.dispatchEvent(new Event('visibilitychange'))`;

(noBrowser === undefined ? describe : describe.skip)(
  `changes in the console as they come (${noBrowser ?? 'Chromium'})`,
  () => {
    let service: WholeService;
    let proxy: Proxy;
    let browser: Browser;
    let window: ConsoleWindow;
    let address: string;
    const tabs: Page[] = [];
    beforeAll(async () => {
      service = await startWholeService({ site: SITE, rules: RULES });
      proxy = await startProxy(service.url, { headers: ({ host }) => ({ host }) });
      address = `http://127.0.0.1:${proxy.port}`;
      browser = await openChromium();
    });
    afterAll(async () => {
      await browser.close();
      await proxy.close();
      await service.close();
    });
    beforeEach(async () => {
      await service.db.database.$executeRaw`TRUNCATE ask CASCADE`;
      window = await openConsole(browser, `${address}/`);
    });
    afterEach(async () => {
      await closeConsole(window);
      tabs.length = 0;
    });

    const streams = (): number => proxy.passing().filter((path) => path === '/events').length;
    /** Another tab of the same user. */
    const openTab = async (place: string): Promise<Page> => {
      const page = await window.page.context().newPage();
      tabs.push(page);
      await page.goto(`${address}/${place}`);
      await page.locator(SCREEN).waitFor();
      return page;
    };
    /** Asks as another program of the user does. */
    const askFor = async (...command: readonly string[]): Promise<string> => {
      const answer = await service.ask({ task: { type: TYPE, spec: { command } } });
      expect(answer).toContain('YES');
      return answer;
    };
    /** Lets a job that runs UNTIL_GO go on. @param link of the job */
    const go = (link: string | null): Promise<void> =>
      writeFile(join(service.folder, 'jobs', link?.split('/').at(-1) ?? '', 'work', 'go'), '');
    /** Asks in the first tab, and shows the answer in another, too. */
    const askInTwo = async (): Promise<Page> => {
      await window.page.getByRole('button', { name: 'Ask', exact: true }).click();
      await window.page.getByRole('heading', { name: /^YES/ }).waitFor();
      const other = await openTab(new URL(window.page.url()).hash);
      await other.getByRole('heading', { name: /^YES/ }).waitFor();
      return other;
    };
    const acceptIn = (page: Page) =>
      page
        .getByRole('button', { name: /^Accept/ })
        .first()
        .click();

    test('all tabs have one connection; hidden ones have none', async () => {
      await until(() => streams() === 1);
      const [second, third] = [await openTab('#/jobs'), await openTab('#/me')];
      const count = (page: Page, offers: number) =>
        page.getByRole('link', { name: `Ask ${offers} open offers` }).waitFor();
      await askFor('true');
      for (const page of [window.page, second, third]) await count(page, 2);
      expect(streams()).toBe(1);
      await window.page.goto('about:blank');
      await until(() => streams() === 1);
      await askFor('true');
      for (const page of [second, third]) await count(page, 4);
      await until(() => streams() === 1);
      for (const page of [second, third]) await page.evaluate(HIDE);
      await until(() => streams() === 0);
      await second.evaluate(SHOW);
      await until(() => streams() === 1);
      await askFor('true');
      await count(second, 6);
    });

    test('of two tabs that show an answer, the second learns at once what the first accepts', async () => {
      const other = await askInTwo();
      await acceptIn(window.page);
      await window.page.getByRole('heading', { name: /^Job at/ }).waitFor();
      const link = other.getByRole('link', { name: 'See its job' }).first();
      await link.waitFor();
      expect(await other.getByRole('button', { name: /^Accept/ }).count()).toBe(0);
      expect(await link.getAttribute('href')).toBe(new URL(window.page.url()).hash);
      await other.getByRole('link', { name: 'Ask', exact: true }).waitFor();
    });

    test('a tab that reads offers again while it reads them shows what it read last', async () => {
      const other = await askInTwo();
      // Answers from before the change come when the page has asked again, and those after it last.
      let isDecided = false;
      const [early, late] = [
        { asked: 0, read: 0, told: 0 },
        { asked: 0, read: 0, told: 0 },
      ];
      await other.route(/\/offers\/[\w-]+$/, async (route) => {
        const own = isDecided ? late : early;
        own.asked += 1;
        const response = await route.fetch();
        own.read += 1;
        await until(() => (own === early ? late.asked > 0 : early.told === early.asked));
        await route.fulfill({ response });
        own.told += 1;
      });
      for (const look of [HIDE, SHOW]) await other.evaluate(look);
      await until(() => early.read > 0 && early.read === early.asked);
      isDecided = true;
      await acceptIn(window.page);
      await window.page.getByRole('heading', { name: /^Job at/ }).waitFor();
      await other.getByRole('link', { name: 'See its job' }).first().waitFor();
      expect(await other.getByRole('button', { name: /^Accept/ }).count()).toBe(0);
      await other.unrouteAll({ behavior: 'ignoreErrors' });
    });

    test('a tab learns of an accept by the event of its job alone, though a busy service refuses once', async () => {
      const { page } = window;
      // Of an offer that is accepted within two seconds the service tells no more.
      const accepted = Promise.withResolvers<string>();
      await page.route(
        '**/events',
        async (route) => {
          const data = JSON.stringify({ id: await accepted.promise, state: 'ACCEPTED' });
          const headers = { 'Content-Type': 'text/event-stream' };
          await route.fulfill({ headers, body: `event: job\ndata: ${data}\n\n` });
          await page.route('**/events', (again) => again.abort());
        },
        { times: 1 },
      );
      await page.reload();
      await page.getByRole('button', { name: 'Ask', exact: true }).click();
      await page.getByRole('heading', { name: /^YES/ }).waitFor();
      const [offer] = await service.db.database.offer.findMany({ orderBy: { id: 'asc' } });
      const update = await fetch(`${service.url}/offers/${offer?.id}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"status": "ACCEPTED"}',
      });
      expect(update.status).toBe(200);
      const refused = page.waitForResponse((response) => response.status() === 503);
      await page.route(/\/offers\/[\w-]+$/, (route) => route.fulfill({ status: 503 }), {
        times: 1,
      });
      accepted.resolve(offer?.id ?? '');
      await refused;
      await page.getByRole('link', { name: 'See its job' }).nth(1).waitFor();
      expect(await page.getByRole('button', { name: /^Accept/ }).count()).toBe(0);
    });

    test('two tabs that accept different offers of an answer at once have one job, and both learn of it', async () => {
      await window.page.route('**/events', (route) => route.abort());
      await window.page.reload();
      const other = await askInTwo();
      await other.route('**/events', (route) => route.abort());
      await other.reload();
      const second = other.getByRole('button', { name: /^Accept/ }).nth(1);
      await second.waitFor();
      await Promise.all([acceptIn(window.page), second.click()]);
      const both = [window.page, other];
      const wins = (page: Page): boolean => page.url().includes('#/jobs/');
      await until(() => both.some(wins));
      const [winner, loser] = wins(other) ? [other, window.page] : [window.page, other];
      const link = loser
        .getByRole('alert')
        .getByRole('link', { name: 'See the job that was accepted' });
      await link.waitFor();
      expect(await link.getAttribute('href')).toBe(new URL(winner.url()).hash);
      expect(wins(loser)).toBe(false);
      expect(await service.db.database.offer.count({ where: { state: 'REJECTED' } })).toBe(1);
    });

    test('the list of jobs and the page of a job follow a job of another program by events', async () => {
      const asked: string[] = [];
      window.page
        .context()
        .on('request', (request) => void asked.push(request.url().slice(address.length)));
      const list = await openTab('#/jobs');
      await list.getByText('You have no jobs yet.').waitFor();
      await until(() => streams() === 1);
      const told = service.follow(await askFor('sh', '-c', UNTIL_GO));
      const row = list.locator('tbody tr');
      await row.getByText('running', { exact: true }).waitFor(PATIENCE);
      const link = await row.getByRole('link').getAttribute('href');
      const job = await openTab(link ?? '');
      await job.locator('li[aria-current=step]', { hasText: 'Running' }).waitFor(PATIENCE);
      await go(link);
      await job.locator('li[aria-current=step]', { hasText: 'Done' }).waitFor(PATIENCE);
      await row.getByText('done', { exact: true }).waitFor(PATIENCE);
      await told;
      // At most one began to wait before the stream was there.
      expect(asked.filter((path) => path.includes('WAIT=')).length).toBeLessThanOrEqual(1);
      expect(streams()).toBe(1);
    });

    test('a browser whose streams are refused follows a job all the same', async () => {
      const { page } = window;
      await page.route('**/events', (route) => route.fulfill({ status: 503 }));
      await page.goto(`${address}/#/jobs`);
      await page.reload();
      await page.getByText('You have no jobs yet.').waitFor();
      const told = service.follow(await askFor('sleep', '3'));
      await page.locator('tbody a').click(PATIENCE);
      await page.locator('li[aria-current=step]', { hasText: 'Done' }).waitFor(PATIENCE);
      expect((await told).last).toBe('COMPLETED');
      await until(() => streams() === 0);
    });

    test('behind a proxy that cuts every answer after two seconds, a log and a job come whole', async () => {
      const cutting = await startProxy(service.url, {
        headers: ({ host }) => ({ host }),
        cutAfter: CUT_MS,
      });
      const behind = await openConsole(browser, `http://127.0.0.1:${cutting.port}/`);
      const { page } = behind;
      try {
        let logs = 0;
        page.on('request', (request) => {
          if (request.url().includes('/results/stdout')) logs += 1;
        });
        const told = service.follow(await askFor('sh', '-c', PROGRAM));
        await page.goto(`http://127.0.0.1:${cutting.port}/#/jobs`);
        const entry = page.locator('tbody a');
        const link = await entry.getAttribute('href', PATIENCE);
        await entry.click(PATIENCE);
        const lines = page.locator('.log > div');
        // A progress bar is drawn over while it goes on.
        await page.locator('.log').getByText('50 %', { exact: true }).waitFor(PATIENCE);
        await until(() => logs > 2);
        expect(await lines.allTextContents()).toEqual(['50 %']);
        await go(link);
        await page.getByText('tick 20', { exact: true }).waitFor(PATIENCE);
        const texts = (await lines.allTextContents()).filter((text) => text !== '');
        const ticks = texts.length - 1;
        expect(texts).toEqual([
          '100 %',
          ...Array.from({ length: ticks }, (_, i) => `tick ${i + 1}`),
        ]);
        await page.locator('li[aria-current=step]', { hasText: 'Done' }).waitFor(PATIENCE);
        await page.getByText('tick 40', { exact: true }).waitFor(PATIENCE);
        expect(await page.getByText('tick 20', { exact: true }).count()).toBe(1);
        await told;
      } finally {
        await closeConsole(behind);
        await cutting.close();
      }
    });
  },
);
