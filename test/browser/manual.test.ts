import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startTestService, type TestService } from '../harness/service.ts';
import { noBrowser, openChromium } from './chromium.ts';

const SITE = {
  rules: ['rules.yml'],
  destinations: {
    a: { runner: 'process', 'task-types': ['executable'], cores: 1, memory: '1GiB' },
  },
};
const RULES = { destinations: { a: { runner: 'process' } } };
const PAGES = ['index', 'reference/site-file', 'guides/runners/slurm', 'errors', 'architecture'];

(noBrowser === undefined ? describe : describe.skip)(
  `the documents in a browser${noBrowser === undefined ? '' : ` (${noBrowser})`}`,
  () => {
    let service: TestService;
    let browser: Browser;
    let page: Page;
    const complaints: string[] = [];
    beforeAll(async () => {
      service = await startTestService(SITE, RULES);
      browser = await openChromium();
      page = await browser.newPage();
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', ({ message }) => complaints.push(message));
      page.on('requestfailed', (request) => complaints.push(request.url()));
    });
    afterAll(async () => {
      await browser.close();
      await service.close();
    });

    test.each([1280, 400])('do not scroll sideways at a width of %d', async (width) => {
      await page.setViewportSize({ width, height: 900 });
      for (const path of PAGES) {
        await page.goto(`${service.url}/docs/${path}`);
        const overflow = await page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        expect([path, overflow]).toEqual([path, 0]);
        const folder = process.env['SCREENSHOTS'];
        if (folder !== undefined) {
          await page.screenshot({ path: `${folder}/${path.replaceAll('/', '-')}-${width}.png` });
        }
      }
    });

    test('are searched with the keyboard alone, and nothing is blocked or missing', async () => {
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.goto(`${service.url}/docs/index`);
      await page.getByRole('searchbox').focus();
      await page.keyboard.type('queue limit');
      await page.keyboard.press('Enter');
      await page.waitForURL(/search\?q=queue\+limit/);
      const folder = process.env['SCREENSHOTS'];
      if (folder !== undefined) await page.screenshot({ path: `${folder}/search.png` });
      await page.locator('.hits a').first().focus();
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/docs\/(?!search)/);
      expect((await page.locator('main').innerText()).toLowerCase()).toContain('queue');
      expect(complaints).toEqual([]);
    });
  },
);
