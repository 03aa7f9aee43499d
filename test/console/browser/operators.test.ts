import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { hashPassword, printHash } from '../../../src/identity/basic/hash.ts';
import { noBrowser, openChromium } from '../../browser/chromium.ts';
import { until } from '../../cli/service-process.ts';
import { emptyBook } from '../../harness/fleet.ts';
import { processDestination, SMALL_RULES, tokenOf } from '../../harness/site.ts';
import { startWholeService, type WholeService } from '../../harness/whole-service.ts';
import { axeOf, closeConsole, openConsole, type ConsoleWindow } from './open-console.ts';

const TYPE = 'https://www.purl.org/ivoa-net/task-type/executable';
const USER = 'op@example.org';
const PASSWORD = 'correct horse';
const PATIENCE = { timeout: 300_000 };

/** An administrator of the password file, and a user with a token. */
async function siteIn(folder: string): Promise<object> {
  const file = join(folder, 'users');
  const hash = await hashPassword(PASSWORD, { n: 1024, r: 8, p: 1 });
  await writeFile(file, `${USER}:${printHash(hash)}:operators\n`, { mode: 0o600 });
  return {
    name: 'Observatory of Example',
    rules: ['rules.yml'],
    identity: {
      anonymous: true,
      basic: file,
      administrators: ['operators'],
      tokens: [tokenOf('ada-token')],
    },
    quotas: [
      { for: 'site', jobs: 50 },
      { for: 'user', cores: 40 },
    ],
    destinations: { a: processDestination({ cores: 16 }) },
  };
}

(noBrowser === undefined ? describe : describe.skip)(
  `operators in the console (${noBrowser ?? 'Chromium'})`,
  () => {
    let service: WholeService;
    let browser: Browser;
    let window: ConsoleWindow;
    beforeAll(async () => {
      service = await startWholeService({ site: siteIn, rules: SMALL_RULES });
      await until(
        'its executor and its sweeper work',
        async () => (await fetch(`${service.url}/readyz`)).ok || undefined,
      );
      browser = await openChromium();
    });
    afterAll(async () => {
      await browser.close();
      await service.close();
    });
    beforeEach(async () => {
      await emptyBook((statement) => service.db.database.$executeRawUnsafe(statement));
      await open();
    });
    afterEach(() => closeConsole(window));

    const open = async (options: BrowserContextOptions = {}): Promise<void> => {
      window = await openConsole(browser, `${service.url}/#/me`, options);
      const { page } = window;
      await page.getByLabel('User').fill(USER);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).first().click();
      await page.getByRole('heading', { name: USER }).waitFor();
    };
    /** Sends a document as Ada. */
    const send = async (path: string, document: object): Promise<Record<string, unknown>> => {
      const response = await fetch(new URL(path, service.url), {
        method: 'POST',
        body: JSON.stringify(document),
        headers: {
          Authorization: 'Bearer ada-token',
          'Content-Type': 'application/json',
          Accept: 'application/json',
        },
      });
      return Object(await response.json());
    };
    /** Ada asks. @returns the id of the first offer */
    const offer = async (name: string): Promise<string> => {
      const task = { type: TYPE, spec: { command: ['sleep', '300'] } };
      const { response } = await send('/request', { name, task });
      return String(Object(response).offers[0].ident);
    };
    /** Ada accepts, and starts the job by herself or not. */
    const job = async (name: string, start: 'auto' | 'client'): Promise<string> => {
      const ident = await offer(name);
      await send(`/offers/${ident}`, { status: 'ACCEPTED', start });
      return ident;
    };
    const stateOf = async (ident: string): Promise<unknown> => {
      const { state } = await service.db.database.offer.findUniqueOrThrow({ where: { id: ident } });
      return state;
    };
    /** Goes to the screen that the header has for operators. */
    const toSite = async (): Promise<void> => {
      await window.page.getByRole('link', { name: 'Site', exact: true }).click();
      await window.page.getByRole('region', { name: 'Destinations' }).waitFor();
    };
    const region = (name: string) => window.page.getByRole('region', { name, exact: true });
    /** Presses a button that asks why, and answers. */
    const act = async (button: RegExp, field: string, why: string): Promise<void> => {
      const { page } = window;
      await page.getByRole('button', { name: button }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel(field).fill(why);
      await dialog.locator('button.main').click();
      await dialog.waitFor({ state: 'hidden' });
    };
    /** The last entry of the trail that has this reason, as the screen shows it. */
    const audited = async (why: string): Promise<string> => {
      await window.page.goto(`${service.url}/#/site`);
      await window.page.getByText('Audit trail', { exact: true }).click();
      const row = window.page.getByRole('row').filter({ hasText: why });
      await row.waitFor();
      return (await row.innerText()).replaceAll(/\s+/g, ' ');
    };

    test('see what works, what is used where and by whom, executors, rules and quotas', async () => {
      const { page } = window;
      await offer('Held');
      await job('Deep field 7', 'client');
      await toSite();
      const destinations = await region('Destinations').innerText();
      for (const text of [/of 16 free/, /held \d, reserved \d/, /0 running/, /answers|not asked/])
        expect(destinations).toMatch(text);
      await region('Who holds what').getByText('ada@example.org').waitFor();
      await region('Executors')
        .getByText(/alive, until/)
        .waitFor();
      await region('Quotas in use').getByText(/of 50/).waitFor();
      const inForce = await region('Rules and site in force').innerText();
      for (const text of [/current/, /rules\.yml/, /site\.yml/, /[\da-f]{8}/])
        expect(inForce).toMatch(text);
      await region('Jobs by owner and phase')
        .getByRole('link', { name: /^1 waiting of/ })
        .click();
      await page.getByRole('link', { name: 'Deep field 7' }).waitFor();
      expect(await page.getByLabel('Owner').inputValue()).toBe('user:ada@example.org');
    });

    test('drain a destination until a time and offer it again, with who and why in the trail', async () => {
      const { page } = window;
      await toSite();
      await page.getByRole('button', { name: 'Drain: a' }).click();
      const dialog = page.getByRole('dialog', { name: 'Drain: a' });
      await dialog.getByLabel('Reason, which clients read').fill('New discs');
      await dialog.getByLabel(/^Until/).fill('2096-08-10T14:00');
      await dialog.getByRole('button', { name: 'Drain', exact: true }).click();
      await region('Destinations').getByText('until Fri 10 Aug 2096, 14:00').waitFor();
      await page.locator('[role=status]:focus').waitFor();
      expect(
        await send('/request', { task: { type: TYPE, spec: { command: ['sort'] } } }),
      ).toMatchObject({ response: { result: 'NO' } });
      expect(await axeOf(window)).toEqual([]);
      await act(/^Offer again: a$/, 'Why, for the audit trail', 'Discs are in');
      await region('Destinations').getByText('open', { exact: true }).waitFor();
      const undone = await audited('Discs are in');
      expect(undone).toContain('user:op@example.org (administrator)');
      expect(undone).toContain('DELETE /destinations/a/drain');
      await page.getByRole('row').filter({ hasText: 'New discs' }).getByText('PUT /').waitFor();
    });

    test('give back an open offer of somebody else, from the list with its filters', async () => {
      const { page } = window;
      const ident = await offer('Holds everything');
      await toSite();
      await page.getByRole('link', { name: 'Open offers', exact: true }).click();
      // The screen before it has such a cell, too.
      await page.getByRole('heading', { level: 1, name: 'Offers' }).waitFor();
      await page.getByRole('cell', { name: 'ada@example.org' }).first().waitFor();
      await act(
        /^Give back: Holds everything/,
        'Why, for the audit trail',
        'It blocks the maintenance',
      );
      await page.getByText('It is done.').waitFor();
      await page.getByText('No offer passes these filters.').waitFor();
      expect(await stateOf(ident)).toBe('REJECTED');
      await page.getByLabel('State').selectOption('given back');
      await page.getByRole('link', { name: 'Holds everything' }).waitFor();
      expect(page.url()).toContain('state=given+back');
      expect(await audited('It blocks the maintenance')).toMatch(
        new RegExp(`op@example.org \\(administrator\\) POST /offers/${ident} status=REJECTED 200`),
      );
    });

    test('see an offer of somebody else without a way to accept it', async () => {
      const { page } = window;
      const ident = await offer('Deep field 7');
      await page.goto(`${service.url}/#/offers/${ident}`);
      await page.getByRole('button', { name: /^Give back: Deep field 7/ }).waitFor();
      expect(await page.getByRole('button', { name: /^Accept/ }).count()).toBe(0);
      await act(/^Give back/, 'Why, for the audit trail', 'By hand');
      await page.getByText('given back', { exact: true }).waitFor();
    });

    test('cancel an accepted offer of somebody else', async () => {
      const { page } = window;
      const ident = await job('Deep field 7', 'client');
      await page.goto(`${service.url}/#/offers?owner=*&state=accepted`);
      await act(/^Cancel the job: Deep field 7/, 'Why, for the audit trail', 'Its owner left');
      await page.getByText('No offer passes these filters.').waitFor();
      expect(await stateOf(ident)).toBe('CANCELLED');
      expect(await audited('Its owner left')).toContain(`${ident} status=CANCELLED 200`);
    });

    test('abort and delete a job of somebody else, which only its owner may prolong', async () => {
      const { page } = window;
      const ident = await job('Deep field 7', 'auto');
      await toSite();
      await page.getByRole('link', { name: 'All jobs' }).click();
      await page.getByRole('link', { name: 'Deep field 7' }).click();
      await page.locator('li[aria-current=step]', { hasText: 'Running' }).waitFor(PATIENCE);
      await page.getByRole('definition').filter({ hasText: 'ada@example.org' }).waitFor();
      expect(await page.getByRole('button', { name: 'A week longer' }).count()).toBe(0);
      await act(/^Abort$/, 'Why, for the audit trail', 'It fills the disc');
      await page.locator('li[aria-current=step]', { hasText: 'Aborted' }).waitFor(PATIENCE);
      await act(/^Delete$/, 'Why, for the audit trail', 'As its owner asked');
      await page.waitForURL(/#\/jobs\?owner=/);
      const aborted = await audited('It fills the disc');
      expect(aborted).toContain(`POST /jobs/${ident}/phase PHASE=ABORT`);
      expect(aborted).toContain('user:op@example.org (administrator)');
      await page
        .getByRole('row')
        .filter({ hasText: 'As its owner asked' })
        .getByText(`DELETE /jobs/${ident}`)
        .waitFor();
    });

    test('read older entries of the audit trail, which a slow reading of its first page leaves there', async () => {
      const { page } = window;
      await service.db.database.$executeRaw`
        INSERT INTO audit (at, request_id, owner, administrator, address, action, status)
        SELECT now() - make_interval(mins => n), gen_random_uuid(), 'user:eve', false, '::1',
          'POST /earlier', 200 FROM generate_series(1, 120) AS n`;
      await toSite();
      await page.getByText('Audit trail', { exact: true }).click();
      const row = page.getByRole('row').filter({ hasText: /POST|DELETE|PUT/ });
      await row.nth(49).waitFor();
      let answer = (): void => undefined;
      const isAnswered = new Promise<void>((done) => {
        answer = done;
      });
      const isFirst = (url: URL): boolean =>
        url.pathname === '/audit' && !url.searchParams.has('before');
      await page.route(isFirst, async (route) => {
        await isAnswered;
        await route.continue();
      });
      await page.waitForRequest((request) => isFirst(new URL(request.url())));
      await page.getByRole('button', { name: 'Older ones' }).press('Enter');
      await row.nth(99).waitFor();
      const isRead = page.waitForResponse((response) => isFirst(new URL(response.url())));
      answer();
      await (await isRead).finished();
      await page.evaluate('new Promise((done) => setTimeout(done, 200))');
      expect(await row.count()).toBeGreaterThanOrEqual(100);
    });

    test('are alone with it: others have no tab, and the screen says for whom it is', async () => {
      const { page } = window;
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('Token of the operator').fill('ada-token');
      await page.getByLabel('Token of the operator').press('Enter');
      await page.getByRole('heading', { name: 'ada@example.org' }).waitFor();
      // A token is no password: programs are told what works for her.
      await page.getByText('curl -H "Authorization: Bearer $TOKEN"').waitFor();
      expect(await page.getByText(/^curl -u/).count()).toBe(0);
      expect(await page.getByRole('link', { name: 'Site', exact: true }).count()).toBe(0);
      await page.goto(`${service.url}/#/site`);
      await page.getByText('The overview is for administrators of the site.').waitFor();
    });
  },
);
