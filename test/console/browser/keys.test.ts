import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { noBrowser, openChromium } from '../../browser/chromium.ts';
import { processDestination, SMALL_RULES, tokenOf } from '../../harness/site.ts';
import { startWholeService, type WholeService } from '../../harness/whole-service.ts';
import { keysOf, type Keys } from './keys.ts';
import { closeConsole, openConsole, type ConsoleWindow } from './open-console.ts';

const SITE = {
  rules: ['rules.yml'],
  identity: {
    anonymous: true,
    administrators: ['operators'],
    tokens: [tokenOf('ada-token'), tokenOf('op-token', { roles: ['operators'] })],
  },
  destinations: { a: processDestination() },
};
/** Nothing has the focus where this never comes. */
const SOMEWHERE = /./;
/** A job takes a start of an interpreter on a busy machine. */
const PATIENCE = { timeout: 300_000 };

(noBrowser === undefined ? describe : describe.skip)(
  `the console with the keyboard alone (${noBrowser ?? 'Chromium'})`,
  () => {
    let service: WholeService;
    let browser: Browser;
    let window: ConsoleWindow;
    let keys: Keys;
    beforeAll(async () => {
      service = await startWholeService({ site: SITE, rules: SMALL_RULES });
      browser = await openChromium();
    });
    afterAll(async () => {
      await browser.close();
      await service.close();
    });
    beforeEach(async () => {
      window = await openConsole(browser, `${service.url}/`);
      keys = keysOf(window);
    });
    afterEach(() => closeConsole(window));

    const choose = async (name: RegExp): Promise<void> => {
      await keys.tabTo(name);
      await keys.press('Enter');
    };
    const heading = (name: string | RegExp) =>
      window.page.getByRole('heading', { name }).first().waitFor();
    const isDone = (): Promise<void> =>
      window.page.locator('li[aria-current=step]', { hasText: 'Done' }).waitFor(PATIENCE);
    const signIn = async (token: string, user: string): Promise<void> => {
      await choose(/^Me$/);
      await keys.isAtHeading(/^Me$/);
      await keys.tabTo(/^Token of the operator$/);
      await keys.write(token);
      await keys.press('Enter');
      await heading(user);
    };
    /** Opens a question, leaves it and opens it again. */
    const ask = async (name: RegExp): Promise<void> => {
      const dialog = window.page.getByRole('dialog', { name });
      await choose(name);
      await dialog.waitFor();
      await keys.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
      await keys.isAt(name);
      await keys.press('Enter');
      await dialog.waitFor();
    };

    test('asks, takes the nearest, gives back, asks again and accepts', async () => {
      await choose(/^Skip to the content$/);
      await keys.tabTo(/^Cores, at least$/);
      await keys.write('99');
      await keys.press('Enter');
      await keys.isAtHeading(/^NO It cannot run as asked$/);
      await choose(/^Ask for that instead$/);
      await keys.isAtHeading(/^YES 1 offer$/);
      await choose(/^Give all back$/);
      await window.page.getByText('The offers are no longer held.').first().waitFor();
      await keys.isAt(SOMEWHERE);
      await choose(/^Ask again$/);
      await keys.isAtHeading(/^YES 1 offer$/);
      await choose(/^Accept: a, /);
      await keys.isAtHeading(/^Job at a$/);
      // It has all cores until then.
      await isDone();
      expect(keys.unseen).toEqual([]);
    });

    test('signs in, runs a job, reads its log and results, deletes it, filters and signs out', async () => {
      const { page } = window;
      await signIn('ada-token', 'ada@example.org');
      for (const name of ['Crab nebula', 'Deep field 7']) {
        await choose(/^Ask$/);
        await keys.isAtHeading(/^Ask$/);
        await keys.tabTo(/^Name$/);
        await keys.write(name);
        await keys.press('Enter');
        await keys.isAtHeading(/^YES 1 offer$/);
        await choose(/^Accept: a, /);
        await keys.isAtHeading(new RegExp(`^${name}$`));
        await isDone();
      }
      // The log.
      await page.locator('.log').getByText('hello world').waitFor();
      await keys.tabTo(/^stdout$/);
      await keys.press('ArrowRight');
      await page.getByText('It wrote nothing.').waitFor();
      await keys.isAt(/^stderr$/);
      await keys.press('ArrowLeft');
      await page.locator('.log').getByText('hello world').waitFor();
      for (const name of ['follow', 'wrap']) {
        const box = page.getByLabel(name, { exact: true });
        const before = await box.isChecked();
        await keys.tabTo(new RegExp(`^${name}$`));
        await keys.press('Space');
        expect(await box.isChecked()).toBe(!before);
      }
      await keys.tabTo(/^Download$/);
      await keys.tabTo(/^stdout$/);
      // Its results.
      await choose(/^Show here: numbers.txt$/);
      await page.getByRole('group', { name: 'numbers.txt' }).getByText('3').waitFor();
      await keys.isAt(/^Hide: numbers.txt$/);
      await keys.press('Enter');
      await page.getByRole('group', { name: 'numbers.txt' }).waitFor({ state: 'detached' });
      const kept = await page.getByText(/^Kept until/).innerText();
      await choose(/^A week longer$/);
      await page.getByText(kept).waitFor({ state: 'detached' });
      await keys.isAt(/^A week longer$/);
      // Away with it.
      await ask(/^Delete$/);
      await keys.isAt(/^Delete$/);
      await keys.press('Enter');
      await keys.isAtHeading(/^Jobs$/);
      await page.getByRole('link', { name: 'Crab nebula' }).waitFor();
      // The filters of the list.
      await keys.tabTo(/^Name$/);
      await keys.write('nothing');
      await page.getByText('No job passes these filters.').waitFor();
      await keys.isAt(/^Name$/);
      await keys.tabTo(/^Phase/);
      await keys.press('f');
      await page.waitForURL(/phase=failed/);
      await choose(/^All jobs$/);
      await page.getByRole('link', { name: 'Crab nebula' }).waitFor();
      await choose(/^Crab nebula$/);
      await keys.isAtHeading(/^Crab nebula$/);
      await choose(/^ada@example.org$/);
      await heading('ada@example.org');
      await choose(/^Sign out$/);
      await heading('You are not signed in');
      await keys.isAt(SOMEWHERE);
      await keys.tabTo(/^Token of the operator$/);
      expect(keys.unseen).toEqual([]);
    });

    test('of an administrator drains a destination and offers it again', async () => {
      await signIn('op-token', 'op@example.org');
      await choose(/^Site$/);
      await keys.isAtHeading(/^Site$/);
      await ask(/^Drain: a$/);
      await keys.isAt(/^Reason, which clients read$/);
      await keys.write('New discs');
      await keys.press('Enter');
      await keys.isAt(/^It is done\.$/);
      await window.page.getByText('drained:').waitFor();
      await ask(/^Offer again: a$/);
      await keys.write('Discs are in');
      await keys.press('Enter');
      await window.page.getByRole('button', { name: 'Drain: a' }).waitFor();
      await keys.isAt(/^It is done\.$/);
      expect(keys.unseen).toEqual([]);
    });
  },
);
