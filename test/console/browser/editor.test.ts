import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { noBrowser, openChromium } from '../../browser/chromium.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { processDestination, SMALL_RULES } from '../../harness/site.ts';
import { axeOf, closeConsole, openConsole, getsFocus, type ConsoleWindow } from './open-console.ts';

const SITE = { rules: ['rules.yml'], destinations: { a: processDestination() } };
const TYPE = 'https://www.purl.org/ivoa-net/task-type/executable';
const TEXT = `# mine
task:
  type: ${TYPE}
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
      // What the site offers is there: proposals come from it.
      await window.page.getByText('Program of the machine').first().waitFor();
      await window.page.getByText('As YAML').click();
      return { page: window.page, area: window.page.getByLabel('The ask as YAML') };
    };
    /** The editor without text, with the focus. */
    const openEmpty = async (options = {}) => {
      const opened = await openEditor(options);
      await opened.area.fill('');
      return opened;
    };
    const checkOnly = () => window.page.getByRole('button', { name: 'Check only' }).click();
    /** Proposals; the header's choice of a time zone has options, too. */
    const options = (name = /(?:)/) =>
      window.page
        .getByRole('listbox', { name: 'What is possible here' })
        .getByRole('option', { name });
    const proposed = async (): Promise<readonly string[]> => {
      await options().first().waitFor();
      return options().allTextContents();
    };

    test('a check shows what the service refuses at its line, and the form keeps what it does not show', async () => {
      const { page, area } = await openEditor();
      await area.fill(TEXT);
      await checkOnly();
      await page.getByText('It would be a NO:').waitFor();
      await page.getByRole('button', { name: 'Line 7' }).first().click();
      expect(await page.evaluate('getSelection().toString()')).toBe('  - min-cores: 99');
      await page.getByText('As a form').click();
      await page.getByText('resources.compute[0].name').waitFor();
      expect(await page.getByLabel('Cores, at least').inputValue()).toBe('99');
      await page.getByText('As YAML').click();
      expect(await area.inputValue()).toBe(TEXT);
      await page.getByText('As a form').click();
      await page.getByText('The YAML has comments; a change in this form drops them.').waitFor();
      await page.getByLabel('Cores, at least').fill('2');
      expect(await page.getByText('drops them').count()).toBe(0);
      await page.getByText('As YAML').click();
      expect(await area.inputValue()).toMatch(/min-cores: 2/);
      expect(await area.inputValue()).toMatch(/name: big/);
      await checkOnly();
      await page.getByText('It would be a YES. Nothing is held.').waitFor();
    });

    test('the form says that it does not show a text that cannot be read, which stays until a change', async () => {
      const { page, area } = await openEditor();
      await area.fill(TEXT);
      const broken = TEXT.replace('spec: {command: [sort]}', 'spec: {command: [uniq}').trimEnd();
      await area.fill(broken);
      await page.getByText('As a form').click();
      const notice = page.getByText(
        /^The YAML cannot be read \(line \d+\): this form shows the last/,
      );
      await notice.waitFor();
      expect(await axeOf(window)).toEqual([]);
      await page.getByText('As YAML').click();
      expect(await area.inputValue()).toBe(broken);
      await page.getByText('As a form').click();
      await page.getByLabel('Cores, at least').fill('2');
      expect(await notice.count()).toBe(0);
      await page.getByText('As YAML').click();
      expect(await area.inputValue()).toMatch(/- sort[^]*min-cores: 2/);
    });

    test('lines have numbers, and refused ones a mark that moves with them', async () => {
      const { page, area } = await openEditor();
      await area.fill(TEXT);
      await checkOnly();
      const marks = page.locator('.numbers b');
      await marks.first().waitFor();
      expect(await marks.allTextContents()).toEqual(['! 7']);
      expect(await area.getAttribute('aria-invalid')).toBe('true');
      await area.fill(`\n${TEXT}`);
      expect(await marks.allTextContents()).toEqual(['! 8']);
      await area.fill(TEXT.replace('99', '1'));
      expect(await marks.count()).toBe(0);
      await area.fill(`${TEXT}${'# more\n'.repeat(60)}`);
      const heights = await page.evaluate(
        `['.numbers', '.code textarea'].map((name) =>
           parseFloat(getComputedStyle(document.querySelector(name)).lineHeight))`,
      );
      expect(heights).toEqual([expect.any(Number), expect.any(Number)]);
      expect(new Set(Object(heights)).size).toBe(1);
      const scrolled = await page.evaluate(`(async () => {
        const [numbers, area] = ['.numbers', '.code textarea'].map((name) => document.querySelector(name));
        area.scrollTop = 1e6;
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        return [area.scrollTop > 100, numbers.scrollTop - area.scrollTop];
      })()`);
      expect(scrolled).toEqual([true, 0]);
    });

    test('by keys alone: a text that is no ask has a line, and one that is gets offers', async () => {
      const { page, area } = await openEditor();
      const ask = async (): Promise<void> => {
        await page.keyboard.press('Escape');
        await page.keyboard.press('Tab');
        await page.keyboard.press('Enter');
      };
      await area.fill('task: [');
      await ask();
      await page.getByText('This cannot be read:').waitFor();
      await area.fill(TEXT.replace('99', '1'));
      await ask();
      await page.getByRole('heading', { name: /^YES/ }).waitFor();
      expect(await getsFocus(window, /^\w+ YES/)).toBe(true);
    });

    test('Tab indents, the browser undoes it, and Escape lets Tab leave in both directions', async () => {
      const { page, area } = await openEmpty();
      const press = async (...keys: readonly string[]): Promise<void> => {
        for (const key of keys) await page.keyboard.press(key);
      };
      await page.keyboard.type('a:\nb: 1');
      expect(await area.inputValue()).toBe('a:\n  b: 1');
      await press('Tab');
      expect(await area.inputValue()).toBe('a:\n  b: 1  ');
      await press('Control+z');
      expect(await area.inputValue()).toBe('a:\n  b: 1');
      await press('Control+a', 'Tab');
      expect(await area.inputValue()).toBe('  a:\n    b: 1');
      await press('Shift+Tab', 'Shift+Tab');
      expect(await area.inputValue()).toBe('a:\nb: 1');
      await press('Control+z', 'Control+z', 'Control+Shift+z');
      expect(await area.inputValue()).toBe('a:\n  b: 1');
      await press('Escape', 'Tab');
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Ask');
      await press('Shift+Tab', 'Escape', 'Shift+Tab');
      expect(await page.evaluate('document.activeElement.type')).toBe('radio');
      expect(await area.inputValue()).toBe('a:\n  b: 1');
    });

    test('by keys alone: an ask is written from what is proposed', async () => {
      const { page, area } = await openEmpty();
      const take = async (word = ''): Promise<void> => {
        await page.keyboard.type(word);
        await options().first().waitFor();
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Enter');
      };
      await page.keyboard.type('ta');
      expect(await proposed()).toHaveLength(1);
      expect(await area.getAttribute('aria-activedescendant')).toBeNull();
      await page.keyboard.press('ArrowDown');
      expect(
        await page.evaluate(
          `document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))
             .getAttribute('aria-selected')`,
        ),
      ).toBe('true');
      await page.keyboard.press('Enter');
      expect(await area.inputValue()).toBe('task:\n  ');
      expect(await proposed()).toEqual([
        expect.stringMatching(/^type /),
        expect.stringMatching(/^spec /),
      ]);
      await take();
      expect(await proposed()).toEqual([`${TYPE} Program of the machine`]);
      await take();
      await page.keyboard.press('Enter');
      await take('s');
      await take('com');
      await page.keyboard.type('sort');
      expect(await area.inputValue()).toBe(
        `task:\n  type: ${TYPE}\n  spec:\n    command:\n      - sort`,
      );
      await page.keyboard.press('Escape');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: /^YES/ }).waitFor();
    });

    test('a click takes a proposal, Control+Space shows all, and Escape closes the list only', async () => {
      const { page, area } = await openEmpty();
      await page.keyboard.press('Control+Space');
      expect(await proposed()).toHaveLength(6);
      await page.keyboard.press('Escape');
      expect(await options().count()).toBe(0);
      expect(await area.inputValue()).toBe('');
      await page.keyboard.type('re');
      await options(/^resources/).click();
      expect(await area.inputValue()).toBe('resources:\n  ');
      expect(await page.evaluate(`document.activeElement.matches('.code textarea')`)).toBe(true);
      // Without an active proposal Enter and Tab are what they always are.
      await page.keyboard.type('co');
      await page.keyboard.press('Enter');
      expect(await area.inputValue()).toBe('resources:\n  co\n  ');
      await page.keyboard.press('Control+z');
      expect(await area.inputValue()).toBe('resources:\n  co');
    });

    test.each([
      ['below its line', '', 'below'],
      ['above it at the end of a window', '# more\n'.repeat(40), 'above'],
    ])('a long list is in the window, %s', async (_, before, side) => {
      const { page, area } = await openEmpty({ viewport: { width: 1280, height: 600 } });
      await area.fill(`${before}resources:\n  storage:\n  - `);
      await page.keyboard.press('Control+End');
      await page.keyboard.press('Control+Space');
      expect((await proposed()).length).toBeGreaterThan(8);
      await page.waitForFunction(`(() => {
        const list = document.querySelector('.proposals').getBoundingClientRect();
        const area = document.querySelector('.code textarea');
        const { lineHeight, paddingTop } = getComputedStyle(area);
        const height = parseFloat(lineHeight);
        const lines = area.value.split('\\n').length - 1;
        const top = area.getBoundingClientRect().top + area.clientTop + parseFloat(paddingTop)
          + lines * height - area.scrollTop;
        const side = list.top >= top + height - 1 ? 'below' : list.bottom <= top + 1 ? 'above' : '';
        return side === '${side}' && list.top >= 0 && list.bottom <= innerHeight;
      })()`);
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Control+Space');
      for (let each = 0; each < 20; each += 1) await page.keyboard.press('ArrowDown');
      const last = options().last();
      expect(await last.getAttribute('aria-selected')).toBe('true');
      expect(await axeOf(window)).toEqual([]);
    });

    test('an ask may be surrounded by `request`, as at the service', async () => {
      const { page, area } = await openEditor();
      await area.fill(`request:\n${TEXT.replaceAll(/^(?=.)/gm, '  ')}`);
      await checkOnly();
      await page.getByRole('button', { name: 'Line 8' }).first().waitFor();
      await page.getByText('As a form').click();
      expect(await page.getByLabel('Cores, at least').inputValue()).toBe('99');
    });

    test('the form can be checked, too: nothing is held, and a change ends what was found', async () => {
      window = await openConsole(browser, `${service.url}/`);
      const { page } = window;
      await page.getByLabel('Cores, at least').fill('99');
      await checkOnly();
      await page.getByText('It would be a NO:').waitFor();
      await page.getByText('resources.compute[0].min-cores').first().waitFor();
      expect(await page.getByRole('button', { name: /^Line/ }).count()).toBe(0);
      await page.getByLabel('Cores, at least').fill('1');
      expect(await page.getByText('It would be a NO:').count()).toBe(0);
      await checkOnly();
      await page.getByText('It would be a YES. Nothing is held.').waitFor();
      expect(await service.db.database.ask.count()).toBe(0);
      await page.getByRole('button', { name: 'Ask', exact: true }).click();
      await page.getByRole('heading', { name: /^YES/ }).waitFor();
      expect(await page.getByText('It would be a YES.').count()).toBe(0);
    });
  },
);
