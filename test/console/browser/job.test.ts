import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, FileChooser } from 'playwright-core';
import { noBrowser, openChromium } from '../../browser/chromium.ts';
import { until } from '../../cli/service-process.ts';
import { processDestination } from '../../harness/site.ts';
import { startWholeService, type WholeService } from '../../harness/whole-service.ts';
import {
  axeOf,
  closeConsole,
  getsFocus,
  openConsole,
  scrollsSideways,
  type ConsoleWindow,
} from './open-console.ts';

const SITE = {
  rules: ['rules.yml'],
  destinations: {
    notebooks: {
      runner: 'notebook',
      'task-types': ['jupyter-notebook', 'python-program'],
      cores: 4,
      memory: '8GiB',
      scratch: '80GiB',
    },
    programs: processDestination(),
  },
};
const RULES = {
  destinations: { notebooks: { runner: 'notebook' }, programs: { runner: 'process' } },
};
/** A picture of one dot. */
const DOT =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGA' +
  'WjR9awAAAABJRU5ErkJggg==';
/** Writes results of each kind, and a log that is longer than what the page keeps. */
const PROGRAM = String.raw`printf '\033[36mblue\033[0m plain\n'
printf '\r10 %%\r100 %%\n'
printf 'a,b\n1,"x, y"\n' > table.csv
printf '<script>document.title="hacked"</script><p>page' > page.html
printf '${DOT}' | base64 -d > dot.png
seq 1 6000`;
/** It goes on when its folder has these files: until then the page shows how far it is. */
const HELD = `${waitFor('begin')}
${PROGRAM}
${waitFor('go')}
echo more
${waitFor('end')}
echo the end`;
/**
 * A FITS file with a header of 36 cards in 2,880 bytes without data, and one of a table with two
 * rows of data, which are no text.
 */
const CARDS = [
  [
    'SIMPLE  =                    T / conforms to FITS',
    'BITPIX  =                    8',
    'NAXIS   =                    0',
    "TELESCOP= 'Effelsberg'         / 100 m",
    'END',
  ],
  [
    "XTENSION= 'BINTABLE'           / a table",
    'BITPIX  =                    8',
    'NAXIS   =                    2 / rows and bytes',
    'NAXIS1  =                    8',
    'NAXIS2  =                    2',
    'END',
  ],
] as const;
const FITS = Buffer.concat([
  ...CARDS.map((cards) =>
    Buffer.from(
      cards
        .map((card) => card.padEnd(80))
        .join('')
        .padEnd(2880),
    ),
  ),
  Buffer.alloc(2880, Uint8Array.of(0x4e, 0x00, 0xff)),
]);
/** A job takes a start of an interpreter on a busy machine. */
const PATIENCE = { timeout: 300_000 };

(noBrowser === undefined ? describe : describe.skip)(
  `a job in the console (${noBrowser ?? 'Chromium'})`,
  () => {
    let service: WholeService;
    let browser: Browser;
    let window: ConsoleWindow;
    beforeAll(async () => {
      service = await startWholeService({ site: SITE, rules: RULES });
      browser = await openChromium();
    });
    afterAll(async () => {
      await browser.close();
      await service.close();
    });
    afterEach(() => closeConsole(window));

    const step = (text: string) =>
      window.page.locator('li[aria-current=step]', { hasText: text }).waitFor(PATIENCE);
    /** Runs a shell program up to its job page. */
    const runProgram = async (program: string): Promise<void> => {
      window = await openConsole(browser, `${service.url}/`);
      const { page } = window;
      await page.getByText('Program of the machine').first().click();
      await page.getByLabel('Command, one word a line').fill(`sh\n-c\n${oneLine(program)}`);
      await page.getByRole('button', { name: 'Ask', exact: true }).click();
      await page
        .getByRole('button', { name: /^Accept/ })
        .first()
        .click();
      await page.getByRole('heading', { name: 'Job at programs' }).waitFor();
    };

    test('a file that is chosen again, since somebody changed it, is read again', async () => {
      window = await openConsole(browser, `${service.url}/`);
      const { page } = window;
      await page.getByText('Jupyter notebook', { exact: true }).first().click();
      const field = page.getByLabel('or a file of yours');
      const choose = async (): Promise<FileChooser> => {
        const chooser = page.waitForEvent('filechooser');
        await field.click();
        return chooser;
      };
      const buffer = Buffer.from('{"cells":[]}');
      const file = { name: 'a.ipynb', mimeType: 'application/json', buffer };
      await (await choose()).setFiles(file);
      await page.getByText('The notebook is in the ask').waitFor();
      await choose();
      // A browser tells of no change where the same name is chosen.
      expect(await field.inputValue()).toBe('');
    });

    test('one click on an example leads to a finished notebook, shown in place without its scripts', async () => {
      window = await openConsole(browser, `${service.url}/`);
      const { page } = window;
      await page.getByRole('button', { name: 'Run it: Jupyter notebook' }).click();
      await page.getByRole('heading', { name: 'Job at notebooks' }).waitFor(PATIENCE);
      await step('Done');
      const frame = page.locator('iframe[title=html]');
      await frame.waitFor();
      expect(await frame.getAttribute('sandbox')).toBe('');
      await frame.contentFrame().getByText('Square roots').waitFor();
      expect(await axeOf(window)).toEqual([]);
      expect([await axeOf(window), await scrollsSideways(window)]).toEqual([[], false]);
    });

    test('the log comes while the job runs, in its colours and with its last lines', async () => {
      await runProgram(HELD);
      const { page } = window;
      await step('Running');
      await page.getByText(/^No output yet/).waitFor();
      const job = page.url().split('/').at(-1) ?? '';
      const permit = (file: string) =>
        writeFile(join(service.folder, 'jobs', job, 'work', file), '');
      await permit('begin');
      await page.getByText('6000', { exact: true }).waitFor(PATIENCE);
      const log = page.getByRole('log');
      const scrolled = () => log.evaluate(({ scrollTop }) => scrollTop);
      expect(await scrolled()).toBeGreaterThan(0);
      await log.evaluate((element) => void (element.scrollTop = 0));
      await page.getByRole('checkbox', { name: 'follow', checked: false }).waitFor();
      await permit('go');
      await page.getByText('more', { exact: true }).waitFor();
      expect(await scrolled()).toBe(0);
      await permit('end');
      await step('Done');
      await page.getByText('the end', { exact: true }).waitFor();
      // The first lines are beyond the 5,000 that the page keeps; the download has all.
      expect(await page.locator('.log > div').count()).toBe(5001);
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download', exact: true }).click(),
      ]);
      expect(file.suggestedFilename()).toBe('stdout');
    });

    test('tables, pictures and pages are shown in place, and pages cannot run anything', async () => {
      await runProgram(PROGRAM);
      const { page } = window;
      await step('Done');
      await page.route('**/results/table.csv', (route) => route.abort(), { times: 1 });
      await page.getByRole('button', { name: 'Show here: table.csv' }).click();
      // What cannot be read is not shown as an empty result.
      await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('cell').first().waitFor();
      expect(await page.getByRole('cell').allTextContents()).toEqual(['1', 'x, y']);
      await page.getByRole('button', { name: 'Show here: dot.png' }).click();
      await page.getByRole('img', { name: 'Picture: dot.png' }).waitFor();
      await page.getByRole('button', { name: 'Show here: page.html' }).click();
      await page.locator('iframe[title="page.html"]').contentFrame().getByText('page').waitFor();
      expect(await page.title()).toMatch(/^Job at programs/);
      expect(await axeOf(window)).toEqual([]);
      const [archive] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'All as an archive' }).press('Enter'),
      ]);
      expect(archive.suggestedFilename()).toMatch(/\.zip$/);
      const zip = await readFile(await archive.path(), 'latin1');
      expect([zip.slice(0, 2), zip.includes('table.csv')]).toEqual(['PK', true]);
      const kept = page.getByText(/^Kept until/);
      const before = (await kept.textContent()) ?? '';
      // The job is read again after each change, which tells its end, too.
      const asked: string[] = [];
      page.on('request', (request) => {
        if (request.url().endsWith('/destruction')) asked.push(request.method());
      });
      await page.getByRole('button', { name: 'A week longer' }).press('Enter');
      await page.getByText(before, { exact: true }).waitFor({ state: 'detached' });
      expect(await kept.textContent()).toMatch(/^Kept until .*A week longer$/);
      // The site keeps jobs for a month at most; a button that does nothing says why.
      const most = page.getByText('The site keeps jobs no longer than this.');
      await until('it says so', async () => {
        await page.getByRole('button', { name: 'A week longer' }).press('Enter');
        return (await most.count()) === 1;
      });
      expect(new Set(asked)).toEqual(new Set(['POST']));
    });

    test('the headers of a FITS file are shown in place, and not its data', async () => {
      expect(FITS.length % 2880).toBe(0);
      await runProgram(`printf '${FITS.toString('base64')}' | base64 -d > image.fits`);
      const { page } = window;
      await step('Done');
      await page.getByRole('button', { name: 'Show here: image.fits' }).click();
      const rows = page.locator('.part tbody tr');
      await rows.first().waitFor();
      expect(await rows.first().locator('code').allTextContents()).toEqual([
        'SIMPLE',
        'T / conforms to FITS',
      ]);
      const keys = await rows.locator('td:first-child code').allTextContents();
      expect(keys).toEqual(
        CARDS.flatMap((cards) => cards.map((card) => card.slice(0, 8).trim())).filter(
          (key) => key !== 'END',
        ),
      );
    });

    test('a job that fails says why, shows stderr first, and can be asked for again', async () => {
      await runProgram('echo trouble >&2; exit 3');
      const { page } = window;
      await step('Failed');
      await page.getByRole('heading', { name: 'It failed' }).waitFor();
      await page.getByText('exit code 3').first().waitFor();
      const trouble = page.locator('.log').getByText('trouble');
      await trouble.waitFor();
      await page.getByText('Read the end of stderr: the task says there why it ended.').waitFor();
      await page.getByText('stdout', { exact: true }).first().click();
      await page.getByText('It wrote nothing.').waitFor();
      await page.route('**/results/stderr', (route) => route.fulfill({ status: 503 }));
      await page.getByText('stderr', { exact: true }).first().click();
      await page.getByRole('heading', { name: 'The log could not be read' }).waitFor();
      expect(await page.getByText('It wrote nothing.').count()).toBe(0);
      expect(await axeOf(window)).toEqual([]);
      await page.unroute('**/results/stderr');
      await page.getByRole('button', { name: 'Try again' }).press('Enter');
      await trouble.waitFor();
      expect(await getsFocus(window, /^H2 Log$/)).toBe(true);
      await page.getByRole('button', { name: 'Ask again' }).click();
      await page.getByRole('heading', { name: 'Ask', exact: true }).waitFor();
      expect(await page.getByLabel('Command, one word a line').inputValue()).toBe(
        'sh\n-c\necho trouble >&2; exit 3',
      );
    });

    test('what somebody wrote for one type of task is there again after a look at another', async () => {
      window = await openConsole(browser, `${service.url}/`);
      const { page } = window;
      await page.getByText('Python program').first().click();
      const source = page.getByLabel('Program', { exact: true });
      await source.fill('print("mine")');
      await page.getByText('Program of the machine').first().click();
      await page.getByText('Python program').first().click();
      expect(await source.inputValue()).toBe('print("mine")');
    });

    test('a job is aborted and deleted after a question', async () => {
      await runProgram('sleep 600');
      const { page } = window;
      await step('Running');
      await page.getByRole('button', { name: 'Abort' }).click();
      const dialog = page.getByRole('dialog', { name: 'Abort' });
      await dialog.getByRole('button', { name: 'Abort' }).press('Enter');
      await step('Aborted');
      expect(await getsFocus(window, /^H1 Job at programs$/)).toBe(true);
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.waitForURL(/#\/jobs$/);
    });
  },
);

function waitFor(file: string): string {
  return `until [ -e ${file} ]; do sleep 0.1; done`;
}

/** The form has one word a line. */
function oneLine(program: string): string {
  return program.replaceAll('\n', '; ');
}
