import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { noBrowser, openChromium } from '../../browser/chromium.ts';
import { processDestination, SMALL_RULES } from '../../harness/site.ts';
import { startWholeService, type WholeService } from '../../harness/whole-service.ts';
import { longestTask, mostOfTask } from './longest-task.ts';
import { closeConsole, getsFocus, openConsole, type ConsoleWindow } from './open-console.ts';

const SITE = { rules: ['rules.yml'], destinations: { a: processDestination() } };
const TYPE = 'https://www.purl.org/ivoa-net/task-type/executable';
const LINES = 20_000;
const JOBS = 1000;
const PATIENCE = { timeout: 60_000 };
const HIDE = `Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
  document.dispatchEvent(new Event('visibilitychange'))`;
const SHOW = `delete document.visibilityState; document.dispatchEvent(new Event('visibilitychange'))`;
const PHASES = ['COMPLETED', 'ERROR', 'EXECUTING', 'QUEUED'];

(noBrowser === undefined ? describe : describe.skip)(
  `long lists in the console (${noBrowser ?? 'Chromium'})`,
  () => {
    let service: WholeService;
    let browser: Browser;
    let window: ConsoleWindow;
    beforeAll(async () => {
      service = await startWholeService({ site: SITE, rules: SMALL_RULES });
      browser = await openChromium();
    });
    afterAll(async () => {
      await browser.close();
      await service.close();
    });
    beforeEach(async () => {
      window = await openConsole(browser, `${service.url}/#/me`);
    });
    afterEach(() => closeConsole(window));

    test(`${LINES} lines of a log come without a long task, while the job runs and when it is over`, async () => {
      const { page } = window;
      const program = `seq -f 'line %.0f of a log that is as long as others are' 1 ${LINES}; sleep 5`;
      const told = service.follow(
        await service.ask({ task: { type: TYPE, spec: { command: ['sh', '-c', program] } } }),
      );
      await page.goto(`${service.url}/#/jobs`);
      const link = page.locator('tbody a');
      await link.waitFor(PATIENCE);
      const ident = (await link.getAttribute('href')) ?? '';
      await browser.startTracing(page, { categories: ['toplevel'] });
      await link.click();
      const last = page.locator('.log').getByText(`line ${LINES} of`);
      await last.waitFor(PATIENCE);
      await page.locator('li[aria-current=step]', { hasText: 'Done' }).waitFor(PATIENCE);
      await page.goto(`${service.url}/#/me`);
      await page.goto(`${service.url}/${ident}`);
      await last.waitFor(PATIENCE);
      await page.getByLabel('wrap').check();
      const longest = longestTask(await browser.stopTracing());
      await told;
      expect(await page.locator('.log > div').count()).toBe(5001);
      expect(longest).toBeGreaterThan(0);
      expect(longest).toBeLessThan(mostOfTask());
    });

    test(`${JOBS} jobs are listed and change without a long task`, async () => {
      const { page } = window;
      const answer = await service.ask({ task: { type: TYPE, spec: { command: ['true'] } } });
      const [, ident = ''] = /\/offers\/([0-9a-f-]{36})/.exec(answer) ?? [];
      await listJobs(page, ident);
      await page.goto(`${service.url}/#/jobs`);
      await page.locator('tbody tr').first().waitFor();
      await browser.startTracing(page, { categories: ['toplevel'] });
      const older = page.getByRole('button', { name: 'Older ones' });
      for (let shown = 100; shown <= JOBS; shown += 50) {
        await older.click();
        await page
          .locator('tbody tr')
          .nth(shown - 1)
          .waitFor();
      }
      await older.waitFor({ state: 'detached' });
      expect(await getsFocus(window, /^A Deep field 950$/)).toBe(true);
      const changing = page.locator('tbody tr').nth(1);
      expect(await changing.locator('.phase').textContent()).toBe('failed');
      await service.follow(answer);
      await changing.locator('.phase', { hasText: 'done' }).waitFor(PATIENCE);
      const longest = longestTask(await browser.stopTracing());
      expect(await page.locator('tbody tr').count()).toBe(JOBS);
      expect(longest).toBeGreaterThan(0);
      expect(longest).toBeLessThan(mostOfTask());
    });

    test('a list is as long as it was when somebody comes back to its tab, and fresh', async () => {
      const { page } = window;
      await listJobs(page, jobId(1));
      await page.goto(`${service.url}/#/jobs`);
      const rows = page.locator('tbody tr');
      for (const shown of [50, 100, 150]) {
        await rows.nth(shown - 1).waitFor();
        if (shown < 150) await page.getByRole('button', { name: 'Older ones' }).click();
      }
      await page.evaluate(HIDE);
      await page.unroute(/\/jobs\?/);
      await listJobs(page, jobId(5000));
      await page.evaluate(SHOW);
      await page.locator(`tbody a[href$="${jobId(5000)}"]`).waitFor();
      expect(await rows.count()).toBe(150);
    });
  },
);

/** Answers with a list of jobs, the second of which has this id. */
async function listJobs(page: Page, second: string): Promise<void> {
  await page.route(/\/jobs\?/, async (route) => {
    const query = new URL(route.request().url()).searchParams;
    const [from, most] = [Number(query.get('CURSOR') ?? 0), Number(query.get('LIMIT'))];
    const to = Math.min(JOBS, from + most);
    await route.fulfill({
      json: {
        jobs: Array.from({ length: to - from }, (_, index) =>
          from + index === 1 ? { ...jobAt(1), id: second } : jobAt(from + index),
        ),
        ...(to < JOBS && { next: String(to) }),
      },
    });
  });
}

/** A job as the list has it. */
function jobAt(index: number): object {
  const start = new Date(Date.UTC(2026, 10, 1) - index * 600_000).toISOString();
  const phase = PHASES[index % PHASES.length];
  const isOver = index % PHASES.length < 2;
  return {
    id: jobId(index),
    phase,
    name: index % 3 === 0 ? null : `Deep field ${index}`,
    runId: null,
    ownerId: null,
    creationTime: start,
    destination: 'a',
    type: TYPE,
    state: 'RUNNING',
    offeredStart: start,
    startTime: phase === 'QUEUED' ? null : start,
    endTime: isOver ? start : null,
    resources: { cores: 1 + (index % 4), memory: 2 },
  };
}

function jobId(index: number): string {
  return `01a1fca5-d69a-71dd-a91d-${String(index).padStart(12, '0')}`;
}
