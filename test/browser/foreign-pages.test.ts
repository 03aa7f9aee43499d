import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { startProxy, type Passed, type Proxy } from '../harness/proxy.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { startWholeService, type WholeService } from '../harness/whole-service.ts';
import { SMALL_RULES, SMALL_SITE } from '../harness/site.ts';
import { noBrowser, openChromium } from './chromium.ts';
import { openForeignSite, openSwitch, type ForeignSite, type Switch } from './foreign-site.ts';
import { visitPage } from './foreign-visit.ts';

const TASK = {
  task: {
    type: 'https://www.purl.org/ivoa-net/task-type/executable',
    spec: { command: ['echo', 'the answer is 42'] },
  },
};
const ASK = JSON.stringify(TASK);
const EVIL = 'http://evil.example';
const PORTAL = 'http://portal.example';

const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'];
const BLOBS = ['application/yaml', 'application/json', 'text/plain', ''];
const SEND_ALL = script('for (const form of document.forms) form.submit()');

(noBrowser === undefined ? describe : describe.skip)(
  `pages of other sites in Chromium (${noBrowser ?? 'here'})`,
  () => {
    let service: TestService;
    let site: ForeignSite;
    let browser: Browser;
    /** between browser and service, to see the requests that the browser hides */
    let between: Proxy;
    let port: number;
    const seen: Passed[] = [];
    beforeAll(async () => {
      site = await openForeignSite();
      service = await startTestService(
        { ...SMALL_SITE, http: { 'allow-origins': [PORTAL] } },
        SMALL_RULES,
        { hosts: ['listed.lan'] },
      );
      between = await startProxy(service.url, {
        headers: ({ host }) => ({ host }),
        seen: (passed) => void seen.push(passed),
      });
      ({ port } = between);
      const foreign = `127.0.0.1:${site.port}`;
      browser = await openChromium({
        'evil.example:80': foreign,
        'portal.example:80': foreign,
        'listed.lan': '127.0.0.1',
        'planner.lan': '127.0.0.1',
      });
    });
    afterAll(async () => {
      await browser?.close();
      await between.close();
      await service.close();
      await site.close();
    });

    let last = 0;
    /** The URL of a path of the service, different from all other requests. */
    const at = (host: string, path: string): string =>
      `http://${host}:${port}/${path}?visit=${(last += 1)}`;
    /**
     * Opens a foreign page that sends requests to the service.
     * @returns the answers, and errors of the browser for requests without one; Chromium repeats
     * some requests with status 421
     */
    const visit = async (html: string, requests: number): Promise<readonly string[]> => {
      const numbers = Array.from({ length: requests }, (_, index) => `?visit=${last - index}`);
      const answer = (number: string): Passed | undefined =>
        seen.findLast(({ path }) => path.endsWith(number));
      const errors = await visitPage(
        browser,
        `${EVIL}${site.put(html)}`,
        numbers,
        (number) => answer(number) !== undefined,
      );
      const answers = numbers
        .map(answer)
        .filter((one) => one !== undefined)
        .map(
          ({ method, path, status, headers }) =>
            `${method} ${path.split('?')[0]} ${status}${headers.origin === 'null' ? ' null' : ''}`,
        );
      return [...answers, ...errors].toSorted();
    };
    const times = (count: number, ...lines: readonly string[]): readonly string[] =>
      lines.flatMap((line) => Array.from({ length: count }, () => line)).toSorted();
    /** The number of asks and jobs, from the service itself. */
    const made = async (): Promise<readonly [asks: number, jobs: number]> => {
      const text = await (await fetch(`${service.url}/metrics`)).text();
      const sum = (name: string): number =>
        [...text.matchAll(new RegExp(`^${name}\\{.*\\} (\\d+)$`, 'gm'))].reduce(
          (all, [, count]) => all + Number(count),
          0,
        );
      return [sum('planner_asks_total'), sum('planner_jobs')];
    };

    describe.each([
      ['0.0.0.0', 421],
      ['planner.lan', 421],
      ['[::ffff:127.0.0.1]', 421],
      ['listed.lan', 403],
      ['127.0.0.1', 403],
      ['localhost', 403],
      ['2130706433', 403],
      ['0177.1', 403],
    ])('at %s', (host, status) => {
      test(`a foreign form makes no job, whatever its encoding: ${status}`, async () => {
        const forms = ['jobs', 'async', 'request'].flatMap((path) =>
          FORMS.map((enctype) => form(at(host, path), enctype)),
        );
        expect(await visit(`${forms.join('')}${SEND_ALL}`, 9)).toEqual(
          times(3, `POST /async ${status}`, `POST /jobs ${status}`, `POST /request ${status}`),
        );
      });

      test(`a no-cors script makes none, whatever the type of its Blob: ${status}`, async () => {
        const sent = ['jobs', 'request'].flatMap((path) =>
          BLOBS.map(
            (type) =>
              `fetch('${at(host, path)}', { method: 'POST', mode: 'no-cors', body: new ` +
              `Blob(['${ASK}'], { type: '${type}' }) });`,
          ),
        );
        expect(await visit(script(sent.join('')), 8)).toEqual(
          times(4, `POST /jobs ${status}`, `POST /request ${status}`),
        );
      });

      test(`a page with Origin: null (sandboxed frame, data: page) makes none: ${status}`, async () => {
        const inner = (): string => `${form(at(host, 'jobs'), 'multipart/form-data')}${SEND_ALL}`;
        const frames =
          '<iframe sandbox="allow-forms allow-scripts" ' +
          `srcdoc="${quoted(inner())}"></iframe><iframe ` +
          `src="data:text/html;base64,${Buffer.from(inner()).toString('base64')}"></iframe>`;
        expect(
          await visit(`<meta name="referrer" content="no-referrer">${frames}${inner()}`, 3),
        ).toEqual(times(3, `POST /jobs ${status} null`));
      });

      test('a script that sends a preflight makes none: the preflight is refused', async () => {
        const answers = await visit(
          script(
            `fetch('${at(host, 'request')}', { method: 'POST', headers: { 'Content-Type': ` +
              `'application/json' }, body: '${ASK}' }).finally(() => ` +
              `fetch('${at(host, 'calendar')}', { mode: 'no-cors' }))`,
          ),
          2,
        );
        // The first request ends before the page asks for the calendar: none followed OPTIONS.
        expect(answers).toEqual([
          expect.stringMatching(/^GET \/calendar /),
          expect.stringMatching(/^OPTIONS \/request /),
        ]);
      });
    });

    test('at 127.0.0.1 a foreign page cannot load anything that acts as its user', async () => {
      const url = (): string => at('127.0.0.1', 'calendar');
      expect(
        await visit(`<img src="${url()}">${script(`fetch('${url()}', { mode: 'no-cors' })`)}`, 2),
      ).toEqual(times(2, 'GET /calendar 403'));
    });

    test('none of these attempts made an ask or a job', async () => {
      expect(await made()).toEqual([0, 0]);
    });

    test('a link from another site works', async () => {
      expect(
        await visit(
          `<a href="${at('127.0.0.1', 'jobs')}">jobs</a>${script('document.links[0].click()')}`,
          1,
        ),
      ).toEqual(['GET /jobs 200']);
    });

    const converse = `(async () => {
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
    const answer = await fetch('PLANNER/request', { method: 'POST', headers, body: '${ASK}' });
    const [offer] = (await answer.json()).response.offers;
    const accepted = await fetch(offer.href, { method: 'POST', headers, body: JSON.stringify({ status: 'ACCEPTED' }) });
    const phase = await fetch(offer.connection.job + '/phase');
    return [answer.status, accepted.status, await phase.text()];
  })()`;

    test('a script of a listed portal has the whole conversation; other sites do not', async () => {
      const page = await browser.newPage();
      const talk = async (origin: string): Promise<unknown> => {
        await page.goto(`${origin}${site.put('a portal')}`);
        return page
          .evaluate(converse.replaceAll('PLANNER', `http://127.0.0.1:${port}`))
          .catch((error: unknown) => String(error));
      };
      expect(await talk(PORTAL)).toEqual([200, 200, 'QUEUED']);
      expect(await talk(EVIL)).toContain('Failed to fetch');
      expect(await made()).toEqual([1, 1]);
      await page.close();
    });
  },
);

(noBrowser === undefined ? describe : describe.skip)(
  `a name that is made to lead here (DNS rebinding; ${noBrowser ?? 'Chromium'})`,
  () => {
    let service: WholeService;
    let site: ForeignSite;
    let name: Switch;
    let browser: Browser;
    beforeAll(async () => {
      site = await openForeignSite();
      name = await openSwitch(site.port);
      service = await startWholeService({
        site: SMALL_SITE,
        rules: SMALL_RULES,
        environment: { TRUST_PROXY: 'loopback' },
      });
      browser = await openChromium({ 'rebound.example:80': `127.0.0.1:${name.port}` });
    });
    afterAll(async () => {
      await browser?.close();
      await service.close();
      await name.close();
      await site.close();
    });

    test('gives a page neither the output of a job nor anything else, whatever headers it sends', async () => {
      const { job, last } = await service.run(TASK);
      expect(last).toBe('COMPLETED');
      expect(await (await fetch(`${job}/results/stdout`)).text()).toBe('the answer is 42\n');
      const page = await browser.newPage();
      await page.goto(`http://rebound.example${site.put('wait')}`);
      const read = (path: string, init: object = {}): Promise<readonly [number, string]> =>
        page.evaluate(
          async ([at, options]) => {
            const answer = await fetch(String(at), Object(options));
            return [answer.status, await answer.text()] as const;
          },
          [path, init],
        );
      // Until here the page's own server answers.
      expect((await read('/1000'))[0]).toBe(404);
      name.leadTo(Number(new URL(service.url).port));
      const result = `${new URL(job).pathname}/results/stdout`;
      const headers = {
        'X-Forwarded-Host': '127.0.0.1',
        'X-Forwarded-Proto': 'http',
        Forwarded: 'host=127.0.0.1',
      };
      for (const path of [
        result,
        '/jobs',
        '/livez',
        '/metrics',
        '/calendar',
        '/openapi.json',
        '/capabilities',
      ]) {
        for (const init of [{}, { headers }]) {
          const [status, text] = await read(path, init);
          expect([path, status]).toEqual([path, 421]);
          expect(text).not.toContain('the answer is');
        }
      }
      for (const [path, method] of [
        ['/jobs', 'POST'],
        ['/request', 'POST'],
        [new URL(job).pathname, 'DELETE'],
      ] as const) {
        expect(
          (await read(path, { method, headers, body: method === 'POST' ? ASK : null }))[0],
        ).toBe(421);
      }
      expect((await fetch(job)).status).toBe(200);
    });
  },
);

/** A form in its own frame. JSON is YAML. */
function form(action: string, enctype: string): string {
  return (
    `<form method="post" action="${action}" enctype="${enctype}" ` +
    `target="${action}${enctype}"><input name="REQUEST" value='${ASK}'><input name="PHASE" ` +
    `value="RUN"></form><iframe name="${action}${enctype}"></iframe>`
  );
}

function script(text: string): string {
  return `<script>${text}</script>`;
}

function quoted(html: string): string {
  return html.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}
