import type { Page } from 'playwright-core';
import { largeCalendar } from '../large-calendar.ts';
import type { Populated } from './populated.ts';

/** Who looks: an administrator with jobs of her own, or somebody without a sign-in. */
type Viewer = 'operator' | 'anonymous';

/** A screen in one of its states, and the way there. */
type Screen = {
  readonly viewer: Viewer;
  readonly address: (made: Populated) => string;
  /** Goes on from its address, and waits until it shows what it is for. */
  readonly show: (page: Page) => Promise<unknown>;
};

const REFUSED = `task:
  type: https://www.purl.org/ivoa-net/task-type/executable
  spec: {command: [sort]}
resources:
  compute:
  - min-cores: 999
`;

/** Every screen of the console with its states. */
export const SCREENS: Readonly<Record<string, Screen>> = {
  'first-sight': {
    viewer: 'anonymous',
    address: () => '#/ask',
    show: (page) =>
      button(page, /^Run it/)
        .first()
        .waitFor(),
  },
  'form-checked': {
    viewer: 'anonymous',
    address: () => '#/ask',
    show: async (page) => {
      await page.getByText('Program of the machine').first().click();
      for (const more of await page.locator('form summary').all()) await more.click();
      await page.getByLabel('Cores, at least').fill('999');
      await button(page, 'Check only').click();
      await page.getByText('It would be a NO:').waitFor();
    },
  },
  'form-tried-out': {
    viewer: 'anonymous',
    address: () => '#/ask?cores=2&check=yes',
    show: (page) => page.getByText('Checked: this would be a YES now.').waitFor(),
  },
  'form-with-open-offers': {
    viewer: 'operator',
    address: () => '#/ask',
    show: (page) => heading(page, 'Your open offers'),
  },
  editor: {
    viewer: 'anonymous',
    address: () => '#/ask',
    show: async (page) => {
      await button(page, /^Run it/)
        .first()
        .waitFor();
      await page.getByText('As YAML').click();
      await page.getByLabel('The ask as YAML').fill(REFUSED);
      await button(page, 'Check only').click();
      await page.getByText('It would be a NO:').waitFor();
      await page.getByLabel('The ask as YAML').focus();
      await page.keyboard.press('Control+End');
      await page.keyboard.press('Control+Space');
      await page
        .getByRole('listbox', { name: 'What is possible here' })
        .getByRole('option')
        .first()
        .waitFor();
    },
  },
  yes: {
    viewer: 'operator',
    address: ({ yes }) => `#/asks/${yes}`,
    show: (page) => button(page, 'Give all back').waitFor(),
  },
  over: {
    viewer: 'operator',
    address: ({ over }) => `#/asks/${over}`,
    show: (page) => page.getByText('Others can have their room now.').waitFor(),
  },
  no: {
    viewer: 'operator',
    address: ({ no }) => `#/asks/${no}`,
    show: async (page) => {
      await button(page, 'Ask for that instead').waitFor();
      await page.getByText('By destination').click();
    },
  },
  offer: {
    viewer: 'operator',
    address: ({ offer }) => `#/offers/${offer}`,
    show: (page) => button(page, /^Accept/).waitFor(),
  },
  'explanation-yes': {
    viewer: 'operator',
    address: ({ yes }) => `#/asks/${yes}/explain`,
    show: openExplanation,
  },
  'explanation-no': {
    viewer: 'operator',
    address: ({ no }) => `#/asks/${no}/explain`,
    show: openExplanation,
  },
  'explanation-stranger': {
    viewer: 'anonymous',
    address: ({ yes }) => `#/asks/${yes}/explain`,
    show: async (page) => {
      await page.getByText(/^There is no ask .* of yours\.$/).waitFor();
      await page.getByText(/^Only who asked and the administrators/).waitFor();
    },
  },
  calendar: {
    viewer: 'operator',
    address: () => '#/calendar',
    show: async (page) => {
      await button(page, 'Find').click();
      await page.getByText(/^Room at/).waitFor();
      await page.getByText('The same as a table').click();
      await page.getByRole('table').waitFor();
    },
  },
  'calendar-of-one': {
    viewer: 'operator',
    address: () => '#/calendar/survey-a',
    show: (page) => page.getByRole('img').first().waitFor(),
  },
  jobs: {
    viewer: 'operator',
    address: () => '#/jobs?owner=*',
    show: (page) => page.getByRole('link', { name: 'Crab nebula' }).waitFor(),
  },
  'jobs-none': {
    viewer: 'anonymous',
    address: () => '#/jobs',
    show: (page) => page.getByText('You have no jobs yet.').waitFor(),
  },
  'job-accepted': {
    viewer: 'operator',
    address: ({ accepted }) => `#/jobs/${accepted}`,
    show: (page) => button(page, 'Start now').waitFor(),
  },
  'job-running': {
    viewer: 'operator',
    address: ({ running }) => `#/jobs/${running}`,
    show: (page) => page.getByText('chunk 06').waitFor(),
  },
  'job-done': {
    viewer: 'operator',
    address: ({ done }) => `#/jobs/${done}`,
    show: async (page) => {
      await page.getByText('chunk 06').waitFor();
      await button(page, 'Show here: sources.csv').click();
      await page.getByRole('cell', { name: 'Cas A' }).waitFor();
      await button(page, 'Show here: report.html').click();
      await page.locator('iframe').contentFrame().getByText('All is well.').waitFor();
      await page.getByText('The ask', { exact: true }).click();
    },
  },
  'job-failed': {
    viewer: 'operator',
    address: ({ failed }) => `#/jobs/${failed}`,
    show: async (page) => {
      await heading(page, 'It failed');
      await page.locator('.log').getByText('no such catalogue').waitFor();
    },
  },
  'job-delete': {
    viewer: 'operator',
    address: ({ done }) => `#/jobs/${done}`,
    show: (page) => openDialog(page, 'Delete'),
  },
  'job-abort-of-another': {
    viewer: 'operator',
    address: ({ ofAnother }) => `#/jobs/${ofAnother}`,
    show: (page) => openDialog(page, 'Abort'),
  },
  'job-unknown': {
    viewer: 'operator',
    address: () => '#/jobs/nothing',
    show: (page) => page.getByRole('alert').getByText('job-unknown').waitFor(),
  },
  'me-anonymous': {
    viewer: 'anonymous',
    address: () => '#/me',
    show: async (page) => {
      await page.getByLabel('Token of the operator').fill('wrong');
      await page.getByLabel('Token of the operator').press('Enter');
      await page.getByRole('alert').waitFor();
    },
  },
  'me-signed-in': {
    viewer: 'operator',
    address: () => '#/me',
    show: (page) => page.getByText('this browser').waitFor(),
  },
  'sign-in': {
    viewer: 'anonymous',
    address: () => '#/me',
    show: async (page) => {
      await page.route('**/me', (route) => route.fulfill(problem(401, 'token-required')));
      await page.reload();
      await heading(page, 'Sign in');
      await page.getByText('You are not signed in').waitFor({ state: 'detached' });
    },
  },
  site: {
    viewer: 'operator',
    address: () => '#/site',
    show: async (page) => {
      await page.getByRole('region', { name: 'Destinations' }).waitFor();
      await page.getByText('Audit trail', { exact: true }).click();
      await page.getByRole('columnheader', { name: 'Why' }).waitFor();
    },
  },
  'site-drain': {
    viewer: 'operator',
    address: () => '#/site',
    show: (page) => openDialog(page, 'Drain: programs'),
  },
  'site-of-others': {
    viewer: 'anonymous',
    address: () => '#/site',
    show: (page) => page.getByText('The overview is for administrators').waitFor(),
  },
  'offers-of-everybody': {
    viewer: 'operator',
    address: () => '#/offers?owner=*&state=all',
    show: (page) => page.getByRole('link', { name: 'Square roots' }).first().waitFor(),
  },
  trouble: {
    viewer: 'anonymous',
    address: () => '#/ask',
    show: async (page) => {
      await page.route('**/request', (route) => route.abort());
      await button(page, 'Ask').click();
      await heading(page, 'The service does not answer');
    },
  },
  'trouble-refused': {
    viewer: 'anonymous',
    address: () => '#/ask',
    show: async (page) => {
      await page.route('**/request', (route) => route.fulfill(problem(401, 'token-required')));
      await button(page, 'Ask').click();
      await page.getByRole('alert').getByText('Sign in').waitFor();
    },
  },
  away: {
    viewer: 'anonymous',
    address: () => '#/ask',
    show: async (page) => {
      await page.route('**/site', (route) => route.abort());
      await page.reload();
      await heading(page, 'The service does not answer');
    },
  },
  unknown: {
    viewer: 'anonymous',
    address: () => '#/what',
    show: (page) => page.getByText('The address may be mistyped.').waitFor(),
  },
};

/** A calendar of ten destinations with 200 steps each, in place of the service's. */
export async function useLargeCalendar(page: Page): Promise<void> {
  await page.route(/\/calendar\?/, async (route) => {
    const query = new URL(route.request().url()).searchParams;
    const from = Date.parse(query.get('from') ?? '') || Date.now();
    await route.fulfill({
      json: largeCalendar(from, Date.parse(query.get('to') ?? ''), 200),
      headers: { etag: 'W/"large"' },
    });
  });
}

/** A refusal of the service. */
function problem(status: number, code: string) {
  return {
    status,
    contentType: 'application/problem+json',
    body: JSON.stringify({
      type: `urn:execution-planner:problem:${code}`,
      title: code,
      status,
      code,
      detail: 'This site wants to know who you are.',
    }),
  };
}

async function openExplanation(page: Page): Promise<void> {
  await heading(page, /Each destination/);
  await page.getByText(/^Every step of the rules/).click();
  await page.getByText('Everything, as data').click();
}

async function openDialog(page: Page, name: string): Promise<void> {
  await button(page, name).click();
  await page.getByRole('dialog', { name }).waitFor();
}

function heading(page: Page, name: string | RegExp): Promise<void> {
  return page.getByRole('heading', { name }).first().waitFor();
}

function button(page: Page, name: string | RegExp) {
  return page.getByRole('button', { name, exact: true });
}
