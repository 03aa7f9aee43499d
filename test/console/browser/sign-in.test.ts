import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { noBrowser, openChromium } from '../../browser/chromium.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { SMALL_RULES, SMALL_SITE, tokenOf } from '../../harness/site.ts';
import { CLIENT, openProvider, type TestProvider } from '../../identity/sign-in/provider.ts';
import { axeOf, closeConsole, getsFocus, openConsole, SCREEN } from './open-console.ts';

const TYPE = 'https://www.purl.org/ivoa-net/task-type/executable';

(noBrowser === undefined ? describe : describe.skip)(
  `signing in at the console (${noBrowser ?? 'here'})`,
  () => {
    let folder: string;
    let provider: TestProvider;
    let service: TestService;
    let browser: Browser;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'planner-console-'));
      await writeFile(join(folder, 'secret'), CLIENT.secret);
      provider = await openProvider();
      const issuer = {
        issuer: provider.url,
        name: 'Example IAM',
        audience: 'planner',
        'client-id': CLIENT.id,
        'client-secret': join(folder, 'secret'),
        scopes: ['openid', 'email'],
      };
      service = await startTestService(
        {
          ...SMALL_SITE,
          identity: {
            anonymous: false,
            administrators: ['operators'],
            tokens: [
              tokenOf('bob-token', { roles: ['operators'] }),
              tokenOf('eve-token', { user: 'eve@example.org' }),
            ],
            oidc: [issuer],
          },
        },
        SMALL_RULES,
      );
      provider.register(`${service.url}/login/callback`);
      browser = await openChromium();
    });
    afterAll(async () => {
      await browser?.close();
      await service?.close();
      await provider?.close();
      await rm(folder, { recursive: true, force: true });
    });

    /** A job of the user of a token. @returns its id */
    const jobOf = async (token: string): Promise<string> => {
      const send = async (path: string, document: object): Promise<unknown> => {
        const response = await fetch(new URL(path, service.url), {
          method: 'POST',
          headers: {
            Authorization: `Bearer ${token}`,
            'Content-Type': 'application/json',
            Accept: 'application/json',
          },
          body: JSON.stringify(document),
        });
        return response.json();
      };
      const answer = await send('/request', {
        name: 'Deep field 7',
        task: { type: TYPE, spec: { command: ['true'] } },
      });
      const { ident } = Object(Object(answer).response).offers[0];
      await send(`/offers/${ident}`, { status: 'ACCEPTED' });
      return String(ident);
    };

    test('with an issuer: a button leads there and back, and everything is of that user', async () => {
      const window = await openConsole(browser, `${service.url}/#/me`);
      const { page, complaints } = window;
      await page.getByRole('link', { name: 'Sign in with Example IAM' }).click();
      await page.locator('[name=login]').fill('ada');
      await page.locator('[name=password]').fill('any');
      await page.getByRole('button', { name: 'Sign-in' }).click();
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('heading', { name: 'ada@example.org' }).waitFor();
      expect(new URL(page.url()).hash).toBe('#/me');
      await page.getByText(provider.url).waitFor();
      await page.getByRole('heading', { name: 'Where you are signed in' }).waitFor();
      expect(await axeOf(window)).toEqual([]);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('link', { name: 'Sign in with Example IAM' }).waitFor();
      expect(await service.db.database.signIn.count()).toBe(0);
      await page.context().close();
      // The way leads to the provider, whose pages load a font.
      expect(complaints.filter((complaint) => !complaint.startsWith('leaves: '))).toEqual([]);
    });

    test('with a token: a wrong one is said, the right one signs in, and another browser ends it', async () => {
      const window = await openConsole(browser, `${service.url}/#/me`);
      const { page } = window;
      const field = page.getByLabel('Token of the operator');
      await field.fill('wrong');
      await field.press('Enter');
      await page.getByText('this site does not know the token').first().waitFor();
      await field.fill('bob-token');
      await field.press('Enter');
      await page.getByRole('heading', { name: 'bob@example.org' }).waitFor();
      // What it tells programs works as it stands.
      const line =
        (await page
          .getByText(/^curl -H/)
          .last()
          .textContent()) ?? '';
      const { PATH } = process.env;
      const said = await promisify(execFile)('sh', ['-c', line], {
        env: { PATH, TOKEN: 'bob-token' },
      });
      expect(said.stdout).toContain('bob@example.org');
      const other = await openConsole(browser, `${service.url}/#/me`);
      await other.page.getByLabel('Token of the operator').fill('bob-token');
      await other.page.getByLabel('Token of the operator').press('Enter');
      const second = other.page.getByRole('button', { name: 'End the sign-in' }).nth(1);
      await second.press('Enter');
      await second.waitFor({ state: 'detached' });
      expect(await getsFocus(other, /^BUTTON End$/)).toBe(true);
      await page.reload();
      await page.getByLabel('Token of the operator').waitFor();
      await closeConsole(other);
      await closeConsole(window);
    });

    test('and out again leaves no answer or offer of the user in any tab, and an empty form there', async () => {
      const window = await openConsole(browser, `${service.url}/#/me`);
      const { page } = window;
      await page.getByLabel('Token of the operator').fill('bob-token');
      await page.getByLabel('Token of the operator').press('Enter');
      await page.getByRole('link', { name: 'Ask', exact: true }).click();
      await page.getByLabel('Name', { exact: true }).fill('Deep field 8');
      await page.getByRole('button', { name: 'Ask', exact: true }).click();
      await page.getByRole('heading', { name: /^YES/ }).waitFor();
      const [shows, lists] = [await page.context().newPage(), await page.context().newPage()];
      await shows.goto(page.url());
      await shows.getByRole('button', { name: /^Accept/ }).waitFor();
      await lists.goto(`${service.url}/#/ask`);
      await lists.getByRole('heading', { name: 'Your open offers' }).waitFor();
      await page.getByRole('link', { name: 'bob@example.org' }).click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('Token of the operator').waitFor();
      await page.getByRole('link', { name: 'Ask', exact: true }).click();
      await page.getByRole('heading', { name: 'How it works' }).waitFor();
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('');
      for (const each of [page, shows, lists]) {
        // The header counts open offers behind the word.
        await each.getByRole('link', { name: 'Ask', exact: true }).waitFor();
        await each.getByRole('heading', { name: 'How it works' }).waitFor();
        expect(await each.getByText(/Your open offers|^Accept$|Deep field 8/).count()).toBe(0);
      }
      await closeConsole(window);
    });

    test('that ends in the middle is said on each screen, and signing in again leads back there', async () => {
      const job = await jobOf('bob-token');
      const window = await openConsole(browser, `${service.url}/#/jobs`);
      const { page } = window;
      const signIn = async (): Promise<void> => {
        const field = page.getByLabel('Token of the operator');
        await field.fill('bob-token');
        await field.press('Enter');
      };
      await page.getByRole('alert').getByRole('link', { name: 'Sign in' }).press('Enter');
      await signIn();
      await page.getByRole('link', { name: 'Deep field 7' }).waitFor();
      const again = page.getByRole('link', { name: 'Sign in and come back' });
      const ends = async (place: string): Promise<void> => {
        await page.goto(`${service.url}/${place}`);
        await page.getByRole('link', { name: 'bob@example.org' }).waitFor();
        await page.locator(SCREEN).waitFor();
        await service.db.database.signIn.deleteMany();
        await page.getByText('You are no longer signed in as bob@example.org.').waitFor();
        expect(await axeOf(window)).toEqual([]);
        await again.press('Enter');
        await signIn();
        await again.waitFor({ state: 'detached' });
        await page.waitForURL(`${service.url}/${place}`);
      };
      for (const place of ['#/jobs', `#/jobs/${job}`, '#/site']) await ends(place);
      await closeConsole(window);
    });

    test('that ends by itself leaves the form to its user alone', async () => {
      const window = await openConsole(browser, `${service.url}/#/me`);
      const { page } = window;
      const signIn = async (who: string): Promise<void> => {
        const field = page.getByLabel('Token of the operator');
        await field.fill(`${who}-token`);
        await field.press('Enter');
        await page.getByRole('link', { name: `${who}@example.org` }).waitFor();
        // The header counts open offers behind the word.
        await page.getByRole('link', { name: /^Ask/ }).click();
      };
      const ends = async (): Promise<void> => {
        await service.db.database.signIn.deleteMany();
        await page.getByText('You are no longer signed in as bob@example.org.').waitFor();
        await page.getByRole('link', { name: 'Sign in and come back' }).click();
      };
      const name = page.getByLabel('Name', { exact: true });
      await signIn('bob');
      await name.fill('Deep field 9');
      await ends();
      await signIn('bob');
      expect(await name.inputValue()).toBe('Deep field 9');
      await ends();
      await signIn('eve');
      expect(await name.inputValue()).toBe('');
      await closeConsole(window);
    });
  },
);
