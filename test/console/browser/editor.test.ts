import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { noBrowser, openChromium } from '../../browser/chromium.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { processDestination, SMALL_RULES } from '../../harness/site.ts';
import {
  axeOf,
  closeConsole,
  openConsole,
  scrollsSideways,
  type ConsoleWindow,
} from './open-console.ts';

const SITE = { rules: ['rules.yml'], destinations: { a: processDestination() } };
const TEXT = `# mine
task:
  type: https://www.purl.org/ivoa-net/task-type/executable
  spec: {command: [sort]}
resources:
  compute:
  - min-cores: 99
    name: big
`;

(noBrowser === undefined ? describe : describe.skip)(
  `the editor of the console (${noBrowser ?? 'Chromium'})`,
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
    beforeEach(() => service.db.database.$executeRaw`TRUNCATE ask CASCADE`);
    afterEach(() => closeConsole(window));

    const openEditor = async (options = {}) => {
      window = await openConsole(browser, `${service.url}/`, options);
      await window.page.getByText('As YAML').click();
      return { page: window.page, area: window.page.getByLabel('The ask as YAML') };
    };

    test('a check shows what the service refuses at its line, and the form keeps what it does not show', async () => {
      const { page, area } = await openEditor();
      await area.fill(TEXT);
      await page.getByRole('button', { name: 'Check only' }).click();
      await page.getByText('It would be a NO:').waitFor();
      await page.getByRole('button', { name: 'Line 7' }).first().click();
      expect(await page.evaluate('getSelection().toString()')).toBe('  - min-cores: 99');
      expect(await axeOf(window)).toEqual([]);
      await page.getByText('As a form').click();
      await page.getByText('resources.compute[0].name').waitFor();
      expect(await page.getByLabel('Cores, at least').inputValue()).toBe('99');
      await page.getByText('As YAML').click();
      expect(await area.inputValue()).toBe(TEXT);
      await page.getByText('As a form').click();
      await page.getByLabel('Cores, at least').fill('2');
      await page.getByText('As YAML').click();
      expect(await area.inputValue()).toMatch(/min-cores: 2/);
      expect(await area.inputValue()).toMatch(/name: big/);
      await page.getByRole('button', { name: 'Check only' }).click();
      await page.getByText('It would be a YES. Nothing is held.').waitFor();
    });

    test('by keys alone: a text that is no ask has a line, and one that is gets offers', async () => {
      const { page, area } = await openEditor();
      await area.fill('task: [');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByText('This cannot be read:').waitFor();
      await area.fill(TEXT.replace('99', '1'));
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: /^YES/ }).waitFor();
      expect(await page.evaluate('document.activeElement.textContent')).toMatch(/^YES/);
    });

    test.each([
      ['at 400 px', { viewport: { width: 400, height: 800 } }],
      ['in dark', { colorScheme: 'dark' }],
    ])('text and findings are accessible %s', async (_, options) => {
      const { page, area } = await openEditor(options);
      await area.fill(TEXT);
      await page.getByRole('button', { name: 'Check only' }).click();
      await page.getByText('It would be a NO:').waitFor();
      if (process.env['SHOTS'] !== undefined)
        await page.screenshot({ path: `/tmp/shots/editor-${_}.png`, fullPage: true });
      expect([await axeOf(window), await scrollsSideways(window)]).toEqual([[], false]);
    });
  },
);
