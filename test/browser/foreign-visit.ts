import type { Browser } from 'playwright-core';
import { until } from '../cli/service-process.ts';

/** A network that comes or goes, as those of containers do, costs Chromium its requests once. */
const TRIES = 3;

/** Only ends tests that fail. */
const PATIENCE_MS = 150_000;

/**
 * Opens a page that sends requests, and opens it again if some were lost on the way.
 *
 * @param endings of the URLs of the requests
 * @param isSeen whether a request with this ending has arrived
 * @returns the errors of the browser for requests that never arrived, none if all did
 * @throws Error when the browser neither sends a request nor gives it up
 */
export async function visitPage(
  browser: Browser,
  url: string,
  endings: readonly string[],
  isSeen: (ending: string) => boolean,
): Promise<readonly string[]> {
  let errors: readonly string[] = [];
  for (let tries = 0; tries < TRIES; tries += 1) {
    const lost = await visitOnce(browser, url, endings, isSeen);
    errors = endings.filter((ending) => !isSeen(ending)).map((ending) => lost.get(ending) ?? '');
    if (errors.length === 0) break;
  }
  return errors;
}

/** @returns what the browser says of the requests that failed, by their endings */
async function visitOnce(
  browser: Browser,
  url: string,
  endings: readonly string[],
  isSeen: (ending: string) => boolean,
): Promise<ReadonlyMap<string, string>> {
  const lost = new Map<string, string>();
  // Chromium forgets to close a page that commits just then (crbug.com/536385539), and page.close()
  // waits for ever. It always closes a context.
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    page.on('requestfailed', (request) => {
      const ending = endings.find((one) => request.url().endsWith(one));
      if (ending === undefined) return;
      const { pathname } = new URL(request.url());
      lost.set(ending, `${request.method()} ${pathname} ${request.failure()?.errorText}`);
    });
    await page.goto(url, { waitUntil: 'commit' });
    const open = (): readonly string[] =>
      endings.filter((ending) => !isSeen(ending) && !lost.has(ending));
    await until('requests end', () => open().length === 0 || undefined, PATIENCE_MS).catch(() => {
      throw new Error(`Chromium neither sends nor gives up: ${open().join(', ')}`);
    });
    return lost;
  } finally {
    await context.close();
  }
}
