import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { noBrowser, openChromium } from '../../browser/chromium.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { SMALL_RULES, SMALL_SITE, tokenOf } from '../../harness/site.ts';
import { axeOf, closeConsole, getsFocus, openConsole, type ConsoleWindow } from './open-console.ts';

const SITE = {
  ...SMALL_SITE,
  name: 'Observatory of Example',
  identity: {
    anonymous: true,
    administrators: ['operators'],
    tokens: [tokenOf('ada-token'), tokenOf('op-token', { roles: ['operators'] })],
  },
};

(noBrowser === undefined ? describe : describe.skip)(
  `lists and the user in the console (${noBrowser ?? 'Chromium'})`,
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
    beforeEach(async () => {
      await service.db.database.$executeRaw`TRUNCATE ask CASCADE`;
      window = await openConsole(browser, `${service.url}/#/me`);
    });
    afterEach(() => closeConsole(window));

    const signIn = async (token: string, user: string): Promise<void> => {
      const { page } = window;
      await page.getByLabel('Token of the operator').fill(token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: user }).waitFor();
    };
    /** Asks by the form, with a name, and accepts. */
    const run = async (name: string): Promise<void> => {
      const { page } = window;
      await page.goto(`${service.url}/#/ask`);
      await page.getByLabel('Name', { exact: true }).fill(name);
      await page.getByRole('button', { name: 'Ask', exact: true }).click();
      await page.getByRole('button', { name: /^Accept/ }).click();
      await page.getByText('Place in the queue').waitFor();
    };
    const names = () => window.page.locator('tbody a').allTextContents();
    const shows = (...wanted: readonly string[]) =>
      window.page
        .locator('table')
        .filter({ hasText: wanted[0] ?? '' })
        .waitFor()
        .then(names);

    test('a user signs in, sees what is left, and signs out', async () => {
      const { page } = window;
      await page.getByLabel('Token of the operator').fill('wrong');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').waitFor();
      await signIn('ada-token', 'ada@example.org');
      await page.getByText('Open answers').waitFor();
      await page.getByText('this browser').waitFor();
      expect(await page.getByRole('link', { name: 'Site' }).count()).toBe(0);
      expect(await getsFocus(window, /^H2 ada@example\.org$/)).toBe(true);
      await page.getByRole('button', { name: 'Sign out' }).press('Enter');
      expect(await getsFocus(window, /^H2 You are not signed in$/)).toBe(true);
    });

    test('a sign-in or its end that does not reach the service is said, and changes nothing', async () => {
      const { page } = window;
      const trouble = page.getByRole('alert').getByText('The service does not answer');
      await page.route('**/login', (route) => route.abort());
      await page.getByLabel('Token of the operator').fill('ada-token');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await trouble.waitFor();
      await page.unroute('**/login');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'ada@example.org' }).waitFor();
      await page.route(/logout|sign-ins/, (route) => route.abort());
      await page.getByRole('button', { name: 'Sign out' }).click();
      await trouble.waitFor();
      await page.getByRole('button', { name: /^End/ }).click();
      await trouble.nth(1).waitFor();
      await page.unroute(/logout|sign-ins/);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
      expect(await trouble.count()).toBe(0);
    });

    test('jobs are listed by name, and filters are in the address', async () => {
      const { page } = window;
      await signIn('ada-token', 'ada@example.org');
      await run('Deep field 7');
      const place = page.getByText('Place in the queue').locator('xpath=../dd');
      expect(await place.textContent()).toBe('1');
      await run('Crab nebula');
      expect(await place.textContent()).toBe('2');
      await page.getByRole('link', { name: 'Jobs', exact: true }).click();
      expect(await shows('Deep field 7')).toEqual(['Crab nebula', 'Deep field 7']);
      await page.getByLabel('Name', { exact: true }).fill('crab');
      await page.waitForURL(/name=crab/);
      await page.getByText('Deep field 7').waitFor({ state: 'detached' });
      await page.reload();
      expect(await shows('Crab nebula')).toEqual(['Crab nebula']);
      await page.getByLabel('Phase').selectOption('failed');
      await page.getByText('No job passes these filters.').waitFor();
      await page.getByRole('link', { name: 'All jobs' }).click();
      expect(await shows('Deep field 7')).toHaveLength(2);
    });

    test('while a filter is asked for, the jobs of the filter before are not shown as its own', async () => {
      const { page } = window;
      await signIn('ada-token', 'ada@example.org');
      await run('\u200B');
      await page.getByRole('link', { name: 'Jobs', exact: true }).click();
      // A name without a picture could not be clicked.
      await page.getByRole('link', { name: /^… [\da-f]{12}$/ }).waitFor();
      await page.route(/\/jobs\?.*PHASE=/, (route) => route.abort());
      await page.getByLabel('Phase').selectOption('failed');
      await page.getByRole('alert').waitFor();
      expect(await page.locator('tbody tr').count()).toBe(0);
      await page.unroute(/\/jobs\?.*PHASE=/);
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('No job passes these filters.').waitFor();
    });

    test('counts of jobs are kept fresh, and each is a link to its jobs', async () => {
      const { page } = window;
      const { database } = service.db;
      await signIn('ada-token', 'ada@example.org');
      await run('Deep field 7');
      await run('Crab nebula');
      await page.getByRole('link', { name: 'Jobs', exact: true }).click();
      await page.getByRole('link', { name: '2 waiting' }).waitFor();
      const [job] = await database.job.findMany({ where: { runId: 'Crab nebula' } });
      await database.$queryRaw`SELECT begin_job(${job?.id}::uuid, 'e', 'h', interval '1 minute')`;
      await database.$queryRaw`SELECT finish_job(${job?.id}::uuid, 'e', 'FAILED', NULL, '[]')`;
      // Also when midnight comes.
      await database.$executeRaw`UPDATE job SET ended_at = ended_at + interval '5 minutes'
        WHERE id = ${job?.id}::uuid`;
      await page.getByRole('link', { name: '1 failed today' }).click();
      await page.getByText('Deep field 7').waitFor({ state: 'detached' });
      expect(await shows('Crab nebula')).toEqual(['Crab nebula']);
      expect(page.url()).toMatch(/#\/jobs\?phase=failed&ended=[\d-]{10}T/);
      expect(await page.getByLabel('Ended since').inputValue()).toMatch(/^\d{4}-\d\d-\d\d$/);
      expect(await axeOf(window)).toEqual([]);
      await page.getByRole('link', { name: '1 waiting' }).click();
      await page.getByText('Crab nebula').waitFor({ state: 'detached' });
      expect(await shows('Deep field 7')).toEqual(['Deep field 7']);
      expect(await page.locator('.counts [aria-current]').allTextContents()).toEqual(['1 waiting']);
      await page.getByRole('link', { name: 'All', exact: true }).click();
      await page.getByText('Crab nebula').waitFor();
    });

    test('an operator sees the jobs of everybody', async () => {
      const { page } = window;
      await signIn('ada-token', 'ada@example.org');
      await run('Deep field 7');
      await page.goto(`${service.url}/#/me`);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await signIn('op-token', 'op@example.org');
      await page.goto(`${service.url}/#/jobs`);
      await page.getByText('You have no jobs yet.').waitFor();
      await page.getByLabel('of everybody').check();
      expect(await shows('ada@example.org')).toEqual(['Deep field 7']);
    });
  },
);
