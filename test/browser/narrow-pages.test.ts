import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { firstOffer, sendAsk } from '../../src/cli/conversation.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { SMALL_ASK, SMALL_RULES, SMALL_SITE } from '../harness/site.ts';
import { noBrowser, openChromium } from './chromium.ts';

const ADDRESS = `https://data.example.org/${'deep-field/'.repeat(20)}`;
const RESULT = {
  id: `${'y'.repeat(90)}.fits`,
  place: 0,
  path: 'work/y',
  mimeType: 'application/fits',
  size: 5_000_000,
};
const WIDTHS = [360, 1280];

(noBrowser === undefined ? describe : describe.skip)(
  `pages that the service prints, in Chromium (${noBrowser ?? 'here'}),`,
  () => {
    let service: TestService;
    let browser: Browser;
    let page: Page;
    let job: string;
    beforeAll(async () => {
      service = await startTestService(SMALL_SITE, SMALL_RULES);
      const offer = firstOffer(await sendAsk(service.url, SMALL_ASK));
      job = offer.ident;
      await send(`offers/${job}`, '{ "status": "ACCEPTED", "start": "client" }');
      const fields = { INPUT: ADDRESS, RUNID: 'x'.repeat(64) };
      await send(`jobs/${job}/parameters`, new URLSearchParams(fields));
      await service.db.database.jobResult.create({ data: { jobId: job, ...RESULT } });
      browser = await openChromium();
      page = await browser.newPage();
    });
    afterAll(async () => {
      await browser?.close();
      await service?.close();
    });

    const send = async (path: string, body: string | URLSearchParams): Promise<void> => {
      const headers = typeof body === 'string' ? { 'Content-Type': 'application/json' } : {};
      const response = await fetch(`${service.url}/${path}`, { method: 'POST', body, headers });
      expect([path, response.ok]).toEqual([path, true]);
    };

    test.each(
      WIDTHS.flatMap((width) =>
        ['jobs', 'jobs/JOB', 'jobs/JOB/results', 'jobs/JOB/parameters', 'docs'].map(
          (path) => [path, width] as const,
        ),
      ),
    )('%s does not scroll sideways at a width of %d', async (path, width) => {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(`${service.url}/${path.replace('JOB', job)}`);
      if (path === 'docs') {
        await page.locator('.opblock-summary-control').first().click({ timeout: 30_000 });
        await page.locator('.responses-wrapper').first().waitFor({ timeout: 30_000 });
      }
      const folder = process.env['SCREENSHOTS'];
      if (folder !== undefined)
        await page.screenshot({
          path: `${folder}/${path.replaceAll('/', '-')}-${width}.png`,
          fullPage: path !== 'docs',
        });
      expect(
        await page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        ),
      ).toBe(0);
    });
  },
);
