import { once } from 'node:events';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { dump } from 'js-yaml';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';
import {
  processDestination,
  SMALL_ASK,
  SMALL_RULES,
  tokenOf,
  writeSite,
  type TestSite,
} from '../harness/site.ts';
import { openStream, type Stream } from '../http/events/stream.ts';
import { openGround, until, type Ground, type ServiceProcess } from './service-process.ts';

const SITE = {
  rules: ['rules.yml'],
  identity: { tokens: [tokenOf('ada'), tokenOf('fast'), tokenOf('follower')] },
  quotas: [{ for: 'user', name: 'fast@example.org', 'asks-per-minute': 1 }],
  destinations: { a: processDestination({ cores: 400, memory: '800GiB', scratch: '8000GiB' }) },
};
const ASK = { body: SMALL_ASK, headers: { 'Content-Type': 'application/json' } };

type Sent = { readonly body?: string; readonly headers?: Readonly<Record<string, string>> };
type Answer = { readonly status: number; readonly text: string };

/** Enough connections that both planners have some, but once in thirty thousand tests. */
const MANY = 16;

/** Sends on a connection of its own, which Linux gives to any of the planners. */
async function send(url: string, { body, headers }: Sent = {}): Promise<Answer> {
  const sent = request(url, {
    agent: false,
    method: body === undefined ? 'GET' : 'POST',
    headers: { Accept: 'application/json', ...headers },
  });
  sent.end(body);
  const [response]: IncomingMessage[] = await once(sent, 'response');
  if (response === undefined) throw new Error('no answer');
  return { status: response.statusCode ?? 0, text: await text(response) };
}

function askOf(token: string, more: Readonly<Record<string, string>> = {}): Sent {
  return { ...ASK, headers: { ...ASK.headers, Authorization: `Bearer ${token}`, ...more } };
}

describe('a service with PLANNERS=2', () => {
  let [ground, db, site]: [Ground?, TestDatabase?, TestSite?] = [];
  let service: ServiceProcess;
  let url: string;
  let plugin: string;
  beforeAll(async () => {
    [ground, db, site] = [
      await openGround(),
      await openTestDatabase(),
      await writeSite(SITE, SMALL_RULES),
    ];
    const PLUGINS_DIR = join(ground.folder, 'plugins');
    plugin = join(PLUGINS_DIR, 'one/plugin.mjs');
    await mkdir(join(PLUGINS_DIR, 'one'), { recursive: true });
    await writeFile(plugin, 'export default {};');
    service = ground.start({
      environment: { PLANNERS: '2', SITE_FILE: site.siteFile, DATABASE_URL: db.url, PLUGINS_DIR },
    });
    url = await service.ready();
    await until(
      'its executor and its sweeper work',
      async () => (await send(`${url}/readyz`)).status === 200,
    );
  });
  afterAll(async () => {
    const end = await service.stop();
    await db?.close();
    await site?.remove();
    await ground?.close();
    if (end.code !== 0) throw new Error(`it ended with ${end.code ?? end.signal}`);
  });

  /** Values of a metric, by its labels. */
  const metric = async (name: string): Promise<readonly (readonly [string, number])[]> =>
    [...(await send(`${url}/metrics`)).text.matchAll(/^(\w+)(?:\{(.*)\})? (.+)$/gm)]
      .filter(([, found]) => found === name)
      .map(([, , labels = '', value]) => [labels, Number(value)]);
  const asked = async (): Promise<number> =>
    (await metric('planner_asks_total')).reduce((sum, [, count]) => sum + count, 0);
  const planners = (): readonly number[] =>
    (ground?.processes() ?? [])
      .filter(({ command }) => command.includes('workers/planner.ts'))
      .map(({ pid }) => pid);
  const lines = (message: string): readonly string[] =>
    service
      .output()
      .split('\n')
      .filter((line) => line.includes(`"${message}"`));

  test('has one executor, one sweeper and two planners, which all answer', async () => {
    const before = await asked();
    let sent = 0;
    const found = await until('both have answered', async () => {
      sent += 1;
      expect((await send(`${url}/request`, askOf('ada'))).status).toBe(200);
      const labels = (await metric('planner_asks_total')).map(([one]) => one);
      return labels.length === 2 ? labels : undefined;
    });
    expect(found.toSorted()).toEqual(['result="YES",planner="1"', 'result="YES",planner="2"']);
    expect(await asked()).toBe(before + sent);
    expect(planners()).toHaveLength(2);
    const workers = (ground?.processes() ?? []).filter(({ command }) =>
      /workers\/(executor|sweeper)\.ts/.test(command),
    );
    expect(workers).toHaveLength(2);
  });

  test('tells at /metrics what the database has once, and what processes have for each', async () => {
    expect(await metric('planner_database_up')).toEqual([['', 1]]);
    const memory = await metric('process_resident_memory_bytes');
    expect(memory.map(([labels]) => labels).toSorted()).toEqual(['planner="1"', 'planner="2"']);
    const { text: told } = await send(`${url}/metrics`);
    const names = [...told.matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name);
    expect(names).toHaveLength(new Set(names).size);
  });

  test('counts the asks of a minute together, whichever planner gets them', async () => {
    const used = async (): Promise<number> => {
      const { text: told } = await send(`${url}/me`, { headers: { Authorization: 'Bearer fast' } });
      const { quotas } = Object(JSON.parse(told)).me;
      return quotas.find(({ limit }: { limit: string }) => limit === 'asks-per-minute').used;
    };
    expect((await send(`${url}/request`, askOf('fast'))).status).toBe(200);
    await until('both know', async () =>
      (await Promise.all(Array.from({ length: MANY }, used))).every((count) => count > 0),
    );
    const more = await Promise.all(
      Array.from({ length: MANY }, () => send(`${url}/request`, askOf('fast'))),
    );
    expect(more.map(({ status }) => status)).toEqual(more.map(() => 429));
  });

  test('gives a repeated request the first decision, whichever planner gets it', async () => {
    const repeated = askOf('ada', { 'Idempotency-Key': 'once' });
    const asks = await Promise.all(
      Array.from({ length: MANY }, async () => {
        const { text: answer } = await send(`${url}/request`, repeated);
        return String(Object(JSON.parse(answer)).response.ident);
      }),
    );
    expect(new Set(asks)).toHaveProperty('size', 1);
  });

  test('tells a client of changes by any planner, and one that comes to another to begin anew', async () => {
    const open = (last?: string): Promise<Stream[]> =>
      Promise.all(
        Array.from({ length: MANY }, () => openStream(`${url}/events`, 'follower', last)),
      );
    const streams = await open();
    await until('all have begun', () => streams.every((one) => one.events('book').length > 0));
    await send(`${url}/request`, askOf('follower'));
    await until('all are told', () => streams.every((one) => one.events('offer').length > 0));
    const again = await open(streams[0]?.last());
    await until('all have begun', () => again.every((one) => one.events('book').length > 0));
    const starts = again.filter((one) => one.events('start').length > 0);
    expect(starts.length).toBeGreaterThan(0);
    expect(starts.length).toBeLessThan(again.length);
    for (const stream of [...streams, ...again]) stream.leave();
  });

  test('reads the site file again at both planners on SIGHUP', async () => {
    await appendFile(site?.siteFile ?? '', dump({ offers: { lifetime: 'PT7M' } }));
    service.kill('SIGHUP');
    await until('both have it', () => lines('the site file is reloaded').length === 2);
    expect((await send(`${url}/readyz`)).text).toContain('"site":"ok"');
  });

  test('says at /readyz of any planner that one of them could not read its files', async () => {
    const told = async (): Promise<readonly boolean[]> => {
      const answers: boolean[] = [];
      for (let count = 0; count < MANY; count += 1)
        answers.push((await send(`${url}/readyz`)).text.includes('cannot be reloaded'));
      return answers;
    };
    await writeFile(
      plugin,
      "if (process.env.PLANNER_NUMBER === '2') throw new Error('only here'); export default {};",
    );
    service.kill('SIGHUP');
    await until('all say so', async () => (await told()).every(Boolean));
    await writeFile(plugin, 'export default {};');
    service.kill('SIGHUP');
    await until('nobody says so', async () => !(await told()).some(Boolean));
    expect((await send(`${url}/readyz`)).text).toContain('"site":"ok"');
  });

  test('follows the rule files at both planners', async () => {
    const rules = { ...SMALL_RULES, tools: { 'executable/sort': { cores: 1 } } };
    await writeFile(join(site?.folder ?? '', 'rules.yml'), dump(rules));
    const digests = async (): Promise<readonly string[]> =>
      (await metric('planner_rules_info')).map(
        ([labels]) => /digest="(\w+)"/.exec(labels)?.[1] ?? '',
      );
    const [before] = await digests();
    const now = await until('both have other rules', async () => {
      const found = await digests();
      return found.includes(before ?? '') ? undefined : found;
    });
    expect(now).toHaveLength(2);
    expect(now[0]).toBe(now[1]);
  });

  test('starts a planner again that was killed, while the other one goes on answering', async () => {
    const [killed = 0] = planners();
    process.kill(killed, 'SIGKILL');
    // Its part of the port is gone with it.
    await until('its end is noticed', () =>
      lines('a worker ended').some((line) => line.includes('"worker":"planner ')),
    );
    for (let count = 0; count < MANY; count += 1)
      expect((await send(`${url}/request`, askOf('ada'))).status).toBe(200);
    await until(
      'there are two again',
      async () => (await metric('process_start_time_seconds')).length === 2,
    );
    expect(planners()).toHaveLength(2);
  });

  test('ends the streams of a planner that is ended, and only those, and starts it again', async () => {
    const [ended = 0] = planners();
    const streams = await Promise.all(
      Array.from({ length: MANY }, () => openStream(`${url}/events`, 'follower')),
    );
    process.kill(ended, 'SIGTERM');
    await until('there is another', () => planners().length === 2 && !planners().includes(ended));
    await until('its streams end', () => streams.some((one) => one.ended()) || undefined);
    expect(streams.every((one) => one.ended())).toBe(false);
    for (const stream of streams) stream.leave();
  });
});

describe('the start of several planners', () => {
  test('is refused in one sentence, once, when they cannot use the site file', async () => {
    const [ground, db] = [await openGround(), await openTestDatabase()];
    const site = await writeSite(
      { ...SITE, destinations: { b: processDestination() } },
      SMALL_RULES,
    );
    const service = ground.start({
      environment: { PLANNERS: '2', SITE_FILE: site.siteFile, DATABASE_URL: db.url },
    });
    const { code, output } = await service.ended;
    expect(code).toBe(1);
    expect(output.match(/destination 'b' of the site file is in no rule file/g)).toHaveLength(1);
    await db.close();
    await site.remove();
    await ground.close();
  });
});

describe('the end of several planners', () => {
  test('lets a half-sent request end, also where a supervisor signals every process', async () => {
    const [ground, db] = [await openGround(), await openTestDatabase()];
    const site = await writeSite(SITE, SMALL_RULES);
    const service = ground.start({
      environment: { PLANNERS: '2', SITE_FILE: site.siteFile, DATABASE_URL: db.url },
    });
    const url = await service.ready();
    const { headers } = askOf('ada', { 'Content-Length': `${SMALL_ASK.length}` });
    const asking = request(`${url}/request`, { agent: false, method: 'POST', headers });
    const answered = once(asking, 'response');
    asking.write(SMALL_ASK.slice(0, 1));
    const planners = ground
      .processes()
      .filter(({ command }) => command.includes('workers/planner.ts'));
    for (let count = 0; count < MANY; count += 1) await send(`${url}/livez`);
    for (const { pid } of planners) process.kill(pid, 'SIGTERM');
    service.kill('SIGTERM');
    await until('the port is closed', () =>
      send(`${url}/livez`).then(
        () => undefined,
        () => true,
      ),
    );
    asking.end(SMALL_ASK.slice(1));
    const [response] = await answered;
    expect(response.statusCode).toBe(200);
    response.resume();
    expect(await service.ended).toMatchObject({ code: 0, signal: null });
    await db.close();
    await site.remove();
    await ground.close();
  });
});
