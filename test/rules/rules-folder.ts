import { renameSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Resolver } from '../../src/fetch/get.ts';
import { openSandbox } from '../../src/sandbox/open.ts';
import type { CopyStore } from '../../src/rules/saved-copies.ts';
import { openCopies } from '../../src/rules/saved-copies.ts';
import { openKeeper, type RulesKeeper } from '../../src/rules/keeper.ts';
import { readSite } from '../../src/site/read.ts';
import type { Site } from '../../src/site/site.ts';
import { jobOf } from '../vortex/job.ts';

/** A log that stores its lines. */
export type Said = {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly about: object;
};

/** Waits until something is true; the limit only ends failing tests. */
export async function until(what: string, look: () => boolean | Promise<boolean>): Promise<void> {
  for (let waited = 0; waited < 300_000; waited += 20) {
    if (await look()) return;
    await new Promise((done) => setTimeout(done, 20));
  }
  throw new Error(`it never came that ${what}`);
}

/** Writes a file at once: another process that looks meanwhile would read half of it. */
export function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.next`, text);
  renameSync(`${path}.next`, path);
}

/** A rule file with one tool with these cores. */
export function rulesOf(cores: number | string, id = 'sort'): string {
  return `tools:\n  ${id}:\n    cores: ${cores}\ndestinations:\n  here:\n    runner: local\n`;
}

/** A web server on the loopback that serves `answer` and counts requests. */
export type Web = {
  readonly host: string;
  readonly url: (path: string) => string;
  readonly asked: string[];
  answer: (request: IncomingMessage, response: ServerResponse) => void;
  readonly close: () => Promise<void>;
};

export async function openWeb(): Promise<Web> {
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers['if-none-match'] ?? ''}`.trim());
    web.answer(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const web: Web = {
    host,
    asked,
    url: (path) => `http://${host}${path}`,
    answer: (_request, response) => void response.writeHead(404).end(),
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return web;
}

/** A folder with keepers of rules and their site files; all are closed together. */
export type Ground = {
  readonly folder: string;
  readonly said: readonly Said[];
  readonly copies: CopyStore;
  readonly site: (text: string) => Site;
  readonly keep: (
    site: Site,
    more?: { readonly resolver?: Resolver; readonly clock?: () => number },
  ) => Promise<RulesKeeper>;
  readonly close: () => Promise<void>;
};

/** A site file with one destination `here` and these rules. */
export function siteText(rules: string): string {
  return (
    `${rules}\ndestinations:\n  here: {runner: process, task-types: [executable], cores: 8, ` +
    'memory: 8GiB, scratch: 80GiB}\n'
  );
}

export async function openGround(): Promise<Ground> {
  const folder = await mkdtemp(join(tmpdir(), 'planner-rules-'));
  const said: Said[] = [];
  const keepers: RulesKeeper[] = [];
  const say =
    (level: Said['level']) =>
    (about: unknown, message?: string): void =>
      void said.push({ level, message: message ?? '', about: Object(about) });
  const copies = openCopies(join(folder, 'data/rules'));
  return {
    folder,
    said,
    copies,
    site: (text) => {
      const reading = readSite(join(folder, 'site.yml'), siteText(text));
      if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
      return reading.site;
    },
    keep: async (site, more) => {
      const keeper = await openKeeper({
        site,
        copies,
        clock: Date.now,
        ...more,
        log: { info: say('info'), warn: say('warn'), error: say('error') },
        open: () => openSandbox({ jit: 'always', decisionMs: 10_000, loadMs: 60_000 }),
        times: { quiet: 30, longest: 300, poll: 500 },
      });
      keepers.push(keeper);
      return keeper;
    },
    close: async () => {
      for (const keeper of keepers) await keeper.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The cores of a job by the rules in force, or the decision if it has no destination. */
export async function coresOf({ sandbox }: Pick<RulesKeeper, 'sandbox'>): Promise<unknown> {
  const decision = await sandbox.map(jobOf('sort'));
  return decision.kind === 'destination' ? decision.chosen.resources.cores.value : decision;
}
