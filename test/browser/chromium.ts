import { chromium, type Browser } from 'playwright-core';
import { needs } from '../engines/packages.ts';

/** Why this machine has no browser; undefined if it has one. */
export const noBrowser = needs('chromium');

/** Only ends tests that fail: a state that does not come within it is an error. */
const PATIENCE_MS = 180_000;

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Debian's Chromium with a new profile.
 *
 * @param names where names lead instead of what DNS says: `evil.example` or
 * `evil.example:80` to `127.0.0.1:4711`
 * @param environment more variables of its process
 */
export async function openChromium(
  names: Readonly<Record<string, string>> = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<Browser> {
  const browser = await chromium.launch({
    env: { ...process.env, ...environment },
    executablePath: '/usr/bin/chromium',
    args: [
      ...FLAGS,
      `--host-resolver-rules=${Object.entries(names)
        .map(([name, place]) => `MAP ${name} ${place}`)
        .join(', ')}`,
    ],
  });
  browser.on('context', (context) => context.setDefaultTimeout(PATIENCE_MS));
  return browser;
}
