import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { noBrowser, openChromium } from '../../browser/chromium.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { processDestination } from '../../harness/site.ts';
import { closeConsole, openConsole, type ConsoleWindow } from './open-console.ts';

const SITE = {
  rules: ['rules.yml'],
  defaults: { scratch: '20GiB' },
  identity: { anonymous: true },
  quotas: [{ for: 'anonymous', holds: 1, cores: 1 }],
  destinations: {
    roomy: processDestination(),
    cramped: processDestination({ scratch: '10GiB' }),
    tiny: processDestination({ scratch: '5GiB' }),
  },
};
const RULES = {
  destinations: {
    roomy: { runner: 'process' },
    cramped: { runner: 'process' },
    tiny: { runner: 'process' },
  },
};
const NEED = 'the task needs 20Gb of scratch space here';

(noBrowser === undefined ? describe : describe.skip)(
  `the reasons of a NO at the console (${noBrowser ?? 'Chromium'})`,
  () => {
    let service: TestService;
    let browser: Browser;
    let window: ConsoleWindow;
    beforeAll(async () => {
      service = await startTestService(SITE, RULES);
      browser = await openChromium();
    });
    afterAll(async () => {
      await browser?.close();
      await service?.close();
    });
    beforeEach(async () => {
      await service.db.database.$executeRaw`TRUNCATE ask CASCADE`;
      window = await openConsole(browser, `${service.url}/`);
      const send = () => window.page.getByRole('button', { name: 'Ask', exact: true }).click();
      await send();
      // Its offer fills the quotas.
      await window.page.getByRole('heading', { name: /^YES/ }).waitFor();
      await send();
      await window.page.getByRole('heading', { name: /^NO/ }).waitFor();
    });
    afterEach(() => closeConsole(window));

    const cardsWith = async (text: string): Promise<readonly string[]> =>
      (await window.page.locator('.reason').allInnerTexts()).filter((card) => card.includes(text));

    test('of one place have a card each: each quota that is exceeded is said', async () => {
      expect(await cardsWith('quota-exceeded')).toEqual(
        expect.arrayContaining([
          expect.stringContaining('The quota of cores is for all clients'),
          expect.stringContaining('The quota of answers with open offers is for all clients'),
        ]),
      );
    });

    test('name the resource, and what the task needs there although nobody asked for it', async () => {
      const { page } = window;
      const cards = await cardsWith(NEED);
      expect(cards).toHaveLength(1);
      expect(cards.join()).toMatch(/limit 10Gb at cramped[^]*limit 5Gb at tiny/);
      await page.getByText('By destination').click();
      await page.getByText(`${NEED}, limit 10Gb`).waitFor();
      await page.getByRole('button', { name: 'Check only' }).click();
      await page.getByText(`(${NEED}, limit 10Gb)`).waitFor();
      expect(await page.getByText('asked: 20Gb').count()).toBe(0);
      await page.getByRole('link', { name: 'How this answer came about' }).click();
      await page.getByText(`${NEED}, limit 10Gb`).first().waitFor();
    });
  },
);
