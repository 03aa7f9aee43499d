import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { noBrowser, openChromium } from '../../../browser/chromium.ts';
import { gpusOf, processDestination, tokenOf } from '../../../harness/site.ts';
import { startWholeService, type WholeService } from '../../../harness/whole-service.ts';
import { layoutFaults } from './layout.ts';
import { faultsInAllLooks } from './looks.ts';
import { openConsole, type ConsoleWindow } from '../open-console.ts';
import { populate, type Populated } from './populated.ts';
import { SCREENS, useLargeCalendar } from './screens.ts';

const ROOMY = { cores: 40, memory: '80GiB', scratch: '800GiB' };
const RUNNERS = {
  notebooks: { runner: 'notebook' },
  programs: { runner: 'process' },
  'programs-gpu': { runner: 'process' },
};
const SITE = {
  name: 'Observatory of Example',
  message: 'New discs on Thursday: notebooks stop from 08:00 to 10:00.',
  rules: ['rules.yml'],
  identity: {
    anonymous: true,
    administrators: ['operators'],
    tokens: [tokenOf('op-token', { roles: ['operators'] }), tokenOf('ada-token')],
  },
  quotas: [
    { for: 'site', jobs: 50 },
    { for: 'user', cores: 40 },
  ],
  // Offers outlive this file on a slow machine.
  offers: { lifetime: 'PT1H' },
  destinations: {
    notebooks: {
      runner: 'notebook',
      'task-types': ['jupyter-notebook', 'python-program'],
      ...ROOMY,
    },
    programs: processDestination(ROOMY),
    'programs-gpu': processDestination({ ...ROOMY, ...gpusOf({ a100: 2 }) }),
  },
};

/**
 * Opens every screen once and looks at it in all looks: nothing is inaccessible, cut off, on top
 * of something else or against the policy. `PICTURES=/tmp/pictures npm test -- --config
 * jest.engines.config.mjs screens` writes a picture of each screen in each look (400 and 1280 px,
 * dark and so on) into that folder, for people to look at.
 */
(noBrowser === undefined ? describe : describe.skip)(
  `every screen of the console in every look (${noBrowser ?? 'Chromium'})`,
  () => {
    let service: WholeService;
    let browser: Browser;
    let made: Populated;
    let windows: { readonly operator: ConsoleWindow; readonly anonymous: ConsoleWindow };
    beforeAll(async () => {
      service = await startWholeService({ site: SITE, rules: { destinations: RUNNERS } });
      made = await populate(service, 'op-token', 'ada-token');
      browser = await openChromium();
      const anonymous = await openConsole(browser, `${service.url}/#/me`);
      const operator = await openConsole(browser, `${service.url}/#/me`);
      await operator.page.getByLabel('Token of the operator').fill('op-token');
      await operator.page.getByLabel('Token of the operator').press('Enter');
      await operator.page.getByRole('heading', { name: 'op@example.org' }).waitFor();
      windows = { anonymous, operator };
    });
    afterAll(async () => {
      await made.end();
      await browser.close();
      await service.close();
    });

    test('this finds what sticks out, is cut off and lies on something else', async () => {
      const { page } = windows.anonymous;
      await page.goto(`${service.url}/#/me`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await layoutFaults(windows.anonymous)).toEqual([]);
      await page.evaluate(`{
        const [narrow, cut, below] = ['narrow', 'cut', 'below'].map((name) => {
          const box = document.createElement('p');
          box.className = name;
          box.textContent = 'mississippi';
          document.querySelector('main').append(box);
          return box.style;
        });
        Object.assign(narrow, { width: '30px', overflowWrap: 'normal' });
        Object.assign(cut, { height: '10px', overflow: 'hidden' });
        below.marginTop = '-30px';
      }`);
      expect((await layoutFaults(windows.anonymous)).map((fault) => fault.slice(0, 40))).toEqual([
        expect.stringMatching(/^p.narrow "mississippi" has/),
        'p.cut "mississippi" is cut off below',
        'p.cut "mississippi" and p.below "mississ',
      ]);
    });

    test.each(Object.entries(SCREENS))('%s', async (name, { viewer, address, show }) => {
      const window = windows[viewer];
      const { page } = window;
      // A page of the same service, which keeps the process of the page and what it has compiled.
      await page.goto(`${service.url}/livez`);
      await page.unrouteAll();
      await useLargeCalendar(page);
      await page.goto(`${service.url}/${address(made)}`);
      await show(page);
      expect(await faultsInAllLooks(window, name)).toEqual([]);
    });
  },
);
