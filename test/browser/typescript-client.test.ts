import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import type { Browser } from 'playwright-core';
import type * as Client from '../../clients/typescript/src/index.ts';
import { root } from '../harness/import-graph.ts';
import { processDestination, tokenOf } from '../harness/site.ts';
import { startWholeService, type WholeService } from '../harness/whole-service.ts';
import { noBrowser, openChromium } from './chromium.ts';
import { openForeignSite, type ForeignSite } from './foreign-site.ts';

const PORTAL = 'http://portal.example';

(noBrowser === undefined ? describe : describe.skip)(
  `the TypeScript client on a portal's page in Chromium (${noBrowser ?? 'here'})`,
  () => {
    let service: WholeService;
    let site: ForeignSite;
    let browser: Browser;
    beforeAll(async () => {
      site = await openForeignSite();
      service = await startWholeService({
        site: {
          rules: ['rules.yml'],
          http: { 'allow-origins': [PORTAL] },
          identity: { anonymous: false, tokens: [tokenOf('ada-token')] },
          destinations: { here: processDestination() },
        },
        rules: { destinations: { here: { runner: 'process' } } },
      });
      browser = await openChromium({ 'portal.example:80': `127.0.0.1:${site.port}` });
    });
    afterAll(async () => {
      await browser?.close();
      await service?.close();
      await site?.close();
    });

    test('goes from an ask to results, stops a job and removes it, and hears of changes', async () => {
      const page = await (await browser.newContext()).newPage();
      await page.goto(`${PORTAL}${site.put(`<script>${await bundled()}</script>`)}`);
      expect(await page.evaluate(converse, service.url)).toEqual({
        lines: ['one', 'two'],
        text: '7\n',
        rest: 'wo\n',
        stopped: 'ABORTED',
        gone: { code: 'job-unknown', status: 404, hasRequestId: true },
        first: { kind: 'start' },
      });
    });
  },
);

/** Runs in the page, which has the client under this name. */
async function converse(url: string) {
  const { openPlanner }: typeof Client = Object(globalThis).client;
  const planner = openPlanner(url, { token: 'ada-token' });
  const accepted = async (script: string): Promise<Client.Job> => {
    const type = 'https://www.purl.org/ivoa-net/task-type/executable';
    const task = { type, spec: { command: ['sh', '-c', script] } };
    const answer = await planner.ask({ task });
    if (answer.result === 'NO') throw new Error(answer.reasons[0].text);
    return planner.accept(answer.offers[0]);
  };
  const changes = planner.events();
  const first = (await changes.next()).value;
  await changes.return();
  const job = await accepted('echo one; sleep 0.3; echo two; echo 7 > seven');
  const lines: string[] = [];
  for await (const line of job.follow()) lines.push(line);
  await job.wait();
  const results = await job.results();
  const other = await accepted('sleep 1000');
  await other.abort();
  const { phase } = await other.wait({ check: false });
  await other.delete();
  const gone = await other
    .read()
    .catch(({ code, status, requestId }) => ({
      code,
      status,
      hasRequestId: typeof requestId === 'string',
    }));
  return {
    lines,
    text: await results.get('seven')?.text(),
    rest: await new Response(results.get('stdout')?.stream(5)).text(),
    stopped: phase,
    gone,
    first,
  };
}

async function bundled(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'clients/typescript/src/index.ts')],
    bundle: true,
    write: false,
    globalName: 'client',
    minify: true,
  });
  return outputFiles[0]?.text.replaceAll('</script', '<\\/script') ?? '';
}
