// Makes the pictures of the documents, docs/pictures/*.png, from a demonstration service of its
// own with a week of reservations: `npm run pictures`. It needs Debian's chromium.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('..', import.meta.url));
const TARGET = join(root, 'docs/pictures');
const TYPES = 'https://www.purl.org/ivoa-net/task-type/';
const HOUR = 3_600_000;
const LOOP =
  'for i in $(seq 40); do printf "\\033[36mchunk %02d\\033[0m  rms \\033[1;32m0.%d\\033[0m mJy/beam\\n" $i $((900 - i * 9)); sleep 1; done';

const data = mkdtempSync(join(tmpdir(), 'planner-pictures-'));
const service = spawn(process.execPath, ['--no-warnings', 'src/cli/planner.mjs', 'serve'], {
  cwd: root,
  env: { PATH: process.env.PATH, HOME: data, DATA_DIR: data, PORT: '0' },
  stdio: ['ignore', 'ignore', 'pipe'],
});
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  const address = await addressOf(service.stderr);
  mkdirSync(TARGET, { recursive: true });
  await take(address);
} finally {
  await browser.close();
  service.kill('SIGTERM');
  await new Promise((done) => service.once('exit', done));
  rmSync(data, { recursive: true, force: true });
}

async function addressOf(/** @type {NodeJS.ReadableStream} */ output) {
  let said = '';
  for await (const text of output) {
    said += String(text);
    const [, address] = /^The console: (\S+)$/m.exec(said) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error(`the service does not start:\n${said}`);
}

/** Accepts offers over a week, the same in each run. */
async function reserve(/** @type {string} */ address) {
  for (let index = 0; index < 60; index += 1) {
    const start = new Date(Date.now() + (1 + ((index * 37) % 150)) * HOUR).toISOString();
    const isProgram = index % 3 === 0;
    const answer = await send(`${address}request`, {
      task: isProgram
        ? { type: `${TYPES}executable`, spec: { command: ['true'] } }
        : { type: `${TYPES}python-program`, spec: { source: 'print(1)' } },
      resources: {
        compute: [{ 'min-cores': 1 + (index % (isProgram ? 2 : 4)), 'min-memory': '1GiB' }],
      },
      time: [{ start: `${start}/PT6H`, duration: `PT${2 + (index % 5)}H` }],
    });
    const offer = answer.response.offers?.at(index % 2 === 0 ? 0 : -1);
    if (offer !== undefined) await send(`${address}offers/${offer.ident}`, { status: 'ACCEPTED' });
  }
}

async function send(/** @type {string} */ place, /** @type {object} */ body) {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
  const response = await fetch(place, { method: 'POST', headers, body: JSON.stringify(body) });
  return response.json();
}

async function take(/** @type {string} */ address) {
  const context = await browser.newContext({
    viewport: { width: 1180, height: 850 },
    timezoneId: 'Europe/Berlin',
    colorScheme: 'light',
  });
  const page = await context.newPage();
  const offers = page.getByRole('button', { name: /^Accept/ });
  await page.goto(`${address}#/ask`);
  await page.getByText('Jupyter notebook', { exact: true }).first().click();
  await page.getByLabel('Name', { exact: true }).fill('Square roots');
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await offers.nth(1).waitFor();
  // The whole form is in this one.
  await page.setViewportSize({ width: 1180, height: 1010 });
  await page.screenshot({ path: join(TARGET, 'offers.png') });
  await page.setViewportSize({ width: 1180, height: 850 });
  await page.getByRole('button', { name: 'Give all back' }).click();
  await offers.first().waitFor({ state: 'detached' });
  await page.getByText('Program of the machine').first().click();
  await page.getByLabel('Command, one word a line').fill(`sh\n-c\n${LOOP}`);
  await page.getByLabel('Name', { exact: true }).fill('Deep field 7');
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await page.setViewportSize({ width: 1180, height: 760 });
  await offers.first().click();
  await page.getByText('chunk 09').waitFor({ timeout: 120_000 });
  await page.screenshot({ path: join(TARGET, 'job.png') });
  // After the others: what it reserves is of the same user, whose share is limited.
  await reserve(address);
  await page.goto(`${address}#/calendar`);
  await page.getByRole('img', { name: /^notebooks:/ }).waitFor();
  await page.screenshot({ path: join(TARGET, 'calendar.png') });
}
