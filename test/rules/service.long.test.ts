import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openGround, until, type Ground, type ServiceProcess } from '../cli/service-process.ts';
import { replaceFile, openWeb, rulesOf, type Web } from './rules-folder.ts';

const ASK = JSON.stringify({
  task: { type: 'https://www.purl.org/ivoa-net/task-type/executable', spec: { command: ['true'] } },
});

let ground: Ground;
let web: Web;
beforeEach(async () => {
  ground = await openGround();
  web = await openWeb();
  replaceFile(join(ground.folder, 'a.yml'), rulesOf(1));
  replaceFile(
    join(ground.folder, 'site.yml'),
    `
quotas: []
results: {size: 1000000GiB}
rules: [a.yml, "${web.url('/shared.yml')}"]
rule-urls: {allow-hosts: ["http://${web.host}"]}
destinations:
  here: {runner: process, task-types: [executable], cores: 100000, memory: 1000000GiB, scratch: 1000000GiB}
`,
  );
});
afterEach(async () => {
  await ground.close();
  await web.close();
});

function serve(text: string): void {
  web.answer = (_request, response) => void response.end(text);
}

function start(): ServiceProcess {
  return ground.start({ environment: { SITE_FILE: join(ground.folder, 'site.yml') } });
}

async function rulesPart(url: string): Promise<string | undefined> {
  return (await readiness(url)).parts.rules;
}

async function readiness(
  url: string,
): Promise<{
  status: number;
  parts: { rules?: string };
  problems?: { rules?: readonly string[] };
}> {
  const response = await fetch(`${url}/readyz`);
  return { status: response.status, ...Object(await response.json()) };
}

async function metric(url: string, name: string): Promise<string> {
  return (
    new RegExp(`^${name} (.*)$`, 'm').exec(await (await fetch(`${url}/metrics`)).text())?.[1] ??
    'none'
  );
}

test('rules that change under a running service disturb no ask, and the service reports their state', async () => {
  serve('tools: {}\n');
  const service = start();
  const url = await service.ready();
  await until('it is ready', async () => (await readiness(url)).status === 200 || undefined);
  const over = new AbortController();
  const answers: string[] = [];
  const ask = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
      const response = await fetch(`${url}/request`, { method: 'POST', body: ASK, headers });
      const { response: told } = Object(await response.json());
      answers.push(
        `${response.status} ${told?.result}${told?.result === 'NO' ? JSON.stringify(told) : ''}`,
      );
    }
  };
  const asking = [ask(), ask(), ask()];
  for (let reload = 1; reload <= 20; reload += 1) {
    replaceFile(join(ground.folder, 'a.yml'), rulesOf((reload % 2) + 1));
    const result = `planner_rules_reloads_total{result="loaded"}`.replaceAll(/[{}]/g, '\\$&');
    await until(
      `reload ${reload} is there`,
      async () => (await metric(url, result)) === String(reload) || undefined,
    );
    const enough = answers.length + 2;
    await until('two more are answered', () => answers.length >= enough);
  }
  over.abort();
  await Promise.all(asking);
  expect(answers.length).toBeGreaterThan(20);
  expect(new Set(answers)).toEqual(new Set(['200 YES']));
  expect(await rulesPart(url)).toBe('ok');

  replaceFile(join(ground.folder, 'a.yml'), rulesOf('4 +'));
  await until('it is degraded', async () => (await rulesPart(url)) === 'degraded' || undefined);
  expect(await readiness(url)).toMatchObject({
    status: 200,
    ready: true,
    problems: {
      rules: [
        expect.stringContaining('the last good ones are in force'),
        expect.stringMatching(/^a\.yml:3:\d+: not Python/),
      ],
    },
  });
  expect(await metric(url, 'planner_rules_last_reload_successful')).toBe('0');
  expect(
    await service.logged('the rules cannot be loaded; the last good ones stay in force'),
  ).toMatchObject({ level: 50 });
  replaceFile(join(ground.folder, 'a.yml'), rulesOf(2));
  await until('it is well again', async () => (await rulesPart(url)) === 'ok' || undefined);
  expect(await metric(url, 'planner_rules_last_reload_successful')).toBe('1');
  expect(await service.stop()).toMatchObject({ code: 0 });
});

test('SIGHUP requests remote rules again, and a start without their hosts takes the last copies', async () => {
  serve('tools: {}\n');
  const first = start();
  const url = await first.ready();
  const info = 'planner_rules_info\\{digest="([0-9a-f]{64})"\\}';
  const digest = async (): Promise<string> =>
    new RegExp(info).exec(await (await fetch(`${url}/metrics`)).text())?.[1] ?? '';
  const before = await digest();
  serve('tools: {sort: {cores: 3}}\n');
  first.kill('SIGHUP');
  await until('the new rules are in force', async () => (await digest()) !== before || undefined);
  await first.stop();
  await web.close();
  const second = start();
  const again = await second.ready();
  expect(await readiness(again)).toMatchObject({ parts: { rules: 'degraded' } });
  expect((await readiness(again)).problems?.rules?.[1]).toMatch(
    /shared\.yml:1:1: .* cannot be fetched: .*; the copy of .* is used/,
  );
  expect(await metric(again, 'planner_rules_last_reload_successful')).toBe('1');
  expect(await second.stop()).toMatchObject({ code: 0 });
  web = await openWeb();
});
