import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { until } from '../../cli/service-process.ts';

/** A browser's window with the console, and what went wrong in it. */
export type ConsoleWindow = {
  readonly page: Page;
  /** violations of the policy, errors of scripts, and requests that left the service */
  readonly complaints: string[];
};

/** The heading of a screen that is there; before that, one stands above a text that says so. */
export const SCREEN = 'main:not(:has(.loading)) h1';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Opens a window at an address of the service, in Berlin, and waits for its first screen. */
export async function openConsole(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<ConsoleWindow> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    timezoneId: 'Europe/Berlin',
    ...options,
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  const { origin } = new URL(address);
  page.on('pageerror', (error) => void complaints.push(error.message));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !url.startsWith('data:')) complaints.push(`leaves: ${url}`);
  });
  await page.exposeFunction('complain', (text: string) => void complaints.push(text));
  await page.addInitScript(
    `addEventListener('securitypolicyviolation', (event) =>
       complain(event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample))`,
  );
  await page.goto(address);
  await page.locator(SCREEN).waitFor();
  return { page, complaints };
}

/** Closes a window. @throws Error when anything went wrong in it */
export async function closeConsole({ page, complaints }: ConsoleWindow): Promise<void> {
  await page.context().close();
  if (complaints.length > 0) throw new Error(complaints.join('\n'));
}

/**
 * Violations of accessibility that axe-core finds, one text each.
 * @param only the rules to check; without them all
 */
export async function axeOf(
  { page }: ConsoleWindow,
  only?: readonly string[],
): Promise<readonly string[]> {
  const runOnly = only === undefined ? RULES : { type: 'rule', values: only };
  // The policy of the page refuses scripts from texts; the debugger may add one.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(`${AXE}; undefined`);
  return page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(runOnly)}, resultTypes: ['violations'] }).then(({ violations }) =>
       violations.flatMap(({ id, nodes }) =>
         nodes.map(({ target, failureSummary }) => id + ' ' + target + ': ' + failureSummary)))`,
  );
}

/**
 * Waits until the focus is at an element with this tag and text. It comes there after the element
 * is drawn. @throws Error if it never comes
 */
export function getsFocus({ page }: ConsoleWindow, wanted: RegExp): Promise<boolean> {
  return until(`the focus is at ${wanted}`, async () =>
    wanted.test(
      String(
        await page.evaluate(
          "document.activeElement.tagName + ' ' + document.activeElement.textContent",
        ),
      ),
    ),
  );
}

/** Is the page wider than its window? */
export function scrollsSideways({ page }: ConsoleWindow): Promise<boolean> {
  return page.evaluate(
    'document.documentElement.scrollWidth > document.documentElement.clientWidth',
  );
}
