import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { noBrowser, openChromium } from '../../browser/chromium.ts';
import { openGround, type Ground } from '../../cli/service-process.ts';
import { freePort } from '../../harness/free-port.ts';
import { closeConsole, openConsole } from './open-console.ts';

/** Starts and jobs take this long on a busy machine. */
const PATIENCE = { timeout: 180_000 };
const PROGRAM = 'i=0; while [ $i -lt 40 ]; do i=$((i+1)); echo tick $i; sleep 0.5; done';

(noBrowser === undefined ? describe : describe.skip)(
  `the service is killed while the console follows a job (${noBrowser ?? 'Chromium'})`,
  () => {
    let ground: Ground;
    let browser: Browser;
    beforeAll(async () => {
      ground = await openGround();
      browser = await openChromium();
    });
    afterAll(async () => {
      await browser.close();
      await ground.close();
    });

    test('the page says so, keeps what it shows, and goes on when the service is there again', async () => {
      const environment = { PORT: String(await freePort()) };
      const first = ground.start({ environment });
      const url = await first.ready();
      await first.said(`The console: ${url}/\n`);
      const window = await openConsole(browser, `${url}/`);
      const { page } = window;
      await page.getByText('Program of the machine').first().click();
      await page.getByLabel('Command, one word a line').fill(`sh\n-c\n${PROGRAM}`);
      await page.getByRole('button', { name: 'Ask', exact: true }).click();
      await page
        .getByRole('button', { name: /^Accept/ })
        .first()
        .click();
      await page.getByText('tick 3', { exact: true }).waitFor(PATIENCE);
      first.kill('SIGKILL');
      await first.ended;
      await page.getByRole('heading', { name: 'The service does not answer' }).waitFor(PATIENCE);
      expect(await page.getByText('tick 3', { exact: true }).count()).toBe(1);
      const second = ground.start({ environment });
      await second.ready();
      await page
        .getByRole('heading', { name: 'The service does not answer' })
        .waitFor({ ...PATIENCE, state: 'detached' });
      await page.locator('li[aria-current=step]', { hasText: 'Done' }).waitFor(PATIENCE);
      await page.getByText('tick 40', { exact: true }).waitFor(PATIENCE);
      expect(await page.getByText('tick 3', { exact: true }).count()).toBe(1);
      await closeConsole(window);
      await second.stop();
    });
  },
);
