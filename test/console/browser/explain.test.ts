import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { noBrowser, openChromium } from '../../browser/chromium.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { processDestination } from '../../harness/site.ts';
import { closeConsole, openConsole, getsFocus, type ConsoleWindow } from './open-console.ts';

const SITE = {
  rules: ['rules.yml'],
  destinations: {
    a: processDestination(),
    b: processDestination({ cores: 8 }),
    c: processDestination(),
  },
};
const RULES = {
  destinations: {
    a: { runner: 'process' },
    b: { runner: 'process' },
    c: { runner: 'process', max_accepted_cores: 1 },
  },
};

(noBrowser === undefined ? describe : describe.skip)(
  `the explanation in the console (${noBrowser ?? 'Chromium'})`,
  () => {
    let service: TestService;
    let browser: Browser;
    let window: ConsoleWindow;
    beforeAll(async () => {
      service = await startTestService(SITE, RULES);
      browser = await openChromium();
    });
    afterAll(async () => {
      await browser.close();
      await service.close();
    });
    afterEach(() => closeConsole(window));

    /** Asks, and gives the identifier of the answer. */
    const asked = async (cores: number): Promise<string> => {
      const response = await fetch(`${service.url}/request`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
        body: JSON.stringify(askFor(cores)),
      });
      return Object(await response.json()).response.ident;
    };
    const open = async (path: string, options = {}): Promise<ConsoleWindow> => {
      window = await openConsole(browser, `${service.url}${path}`, options);
      return window;
    };

    test('the shared address of an explanation opens its screen, with all verdicts in order', async () => {
      const ident = await asked(2);
      const { page } = await open(`/asks/${ident}/explain`);
      expect(new URL(page.url()).hash).toBe(`#/asks/${ident}/explain`);
      await page.getByRole('heading', { name: /Each destination/ }).waitFor();
      expect(await page.getByRole('heading', { level: 3 }).allTextContents()).toEqual([
        'a offer',
        'b offer',
        'c not allowed',
      ]);
      await page.getByText('cores 2 is above max_accepted_cores 1').waitFor();
      expect(await page.getByLabel('Link').inputValue()).toBe(
        `${service.url}/asks/${ident}/explain`,
      );
      await page.getByText(/^Every step of the rules/).click();
      await page.getByText('1. a, score').waitFor();
    });

    test('an offer leads to the same explanation, by keys alone', async () => {
      const { page } = await open('/');
      await page.getByText('Program of the machine').first().click();
      await page.getByRole('button', { name: 'Ask', exact: true }).click();
      expect(await getsFocus(window, /^\w+ YES/)).toBe(true);
      await page.keyboard.press('Tab');
      expect(await getsFocus(window, /^\w+ How this answer came about$/)).toBe(true);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: /Each destination/ }).waitFor();
      expect(await getsFocus(window, /^H1 /)).toBe(true);
      expect(await page.title()).toMatch(/^How this answer came about/);
    });
  },
);

function askFor(cores: number): object {
  return {
    task: {
      type: 'https://www.purl.org/ivoa-net/task-type/executable',
      spec: { command: ['sort'] },
    },
    resources: { compute: [{ 'min-cores': cores }] },
  };
}
