import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openGround, until, type Ground, type ServiceProcess } from '../cli/service-process.ts';
import { offersOf, openClient } from '../harness/client.ts';
import { replaceFile } from './rules-folder.ts';

const TYPE = 'https://www.purl.org/ivoa-net/task-type/executable';

let ground: Ground;
beforeEach(async () => {
  ground = await openGround();
  rules('here');
});
afterEach(() => ground.close());

function rules(...destinations: readonly string[]): void {
  replaceFile(
    join(ground.folder, 'rules.yml'),
    JSON.stringify({
      destinations: Object.fromEntries(destinations.map((id) => [id, { runner: 'process' }])),
    }),
  );
}

function site(cores: Readonly<Record<string, number>>, more: object = {}): void {
  replaceFile(
    join(ground.folder, 'site.yml'),
    JSON.stringify({
      quotas: [],
      rules: ['rules.yml'],
      ...more,
      destinations: Object.fromEntries(
        Object.entries(cores).map(([id, count]) => [
          id,
          {
            runner: 'process',
            'task-types': ['executable'],
            cores: count,
            memory: '64GiB',
            scratch: '1TiB',
          },
        ]),
      ),
    }),
  );
}

async function start(): Promise<{ readonly service: ServiceProcess; readonly url: string }> {
  const service = ground.start({ environment: { SITE_FILE: join(ground.folder, 'site.yml') } });
  const url = await service.ready();
  await until('it is ready', async () => (await fetch(`${url}/readyz`)).ok || undefined);
  return { service, url };
}

async function runs(url: string, cores: number): Promise<string> {
  const offer = await offered(url, cores);
  if (offer === undefined) return 'NO';
  await openClient(url)(`/offers/${offer.ident}`, { body: 'status: ACCEPTED' });
  return until('the job is over', async () => {
    const phase = await (await fetch(`${url}/jobs/${offer.ident}/phase`)).text();
    return phase === 'QUEUED' || phase === 'EXECUTING' ? undefined : phase;
  });
}

/** The first destination with an offer for these cores. */
async function offered(
  url: string,
  cores: number,
): Promise<{ readonly destination: string; readonly ident: string } | undefined> {
  const reply = await openClient(url)('/request', {
    body: JSON.stringify({
      task: { type: TYPE, spec: { command: ['true'] } },
      resources: { compute: [{ 'min-cores': cores }] },
    }),
  });
  const [first] = offersOf(reply);
  return first && { destination: String(Object(first).destination), ident: first.ident };
}

async function readiness(
  url: string,
): Promise<{ readonly parts: Readonly<Record<string, string>>; readonly problems?: object }> {
  return Object(await (await fetch(`${url}/readyz`)).json());
}

function executorOf(): number | undefined {
  return ground.processes().find(({ command }) => command.includes('workers/executor'))?.pid;
}

test('an executor that restarts has the site of its planner, whatever became of the file', async () => {
  site({ here: 4 });
  const { service, url } = await start();
  const before = executorOf();
  if (before === undefined) throw new Error('no executor');
  replaceFile(join(ground.folder, 'site.yml'), 'destinations: [');
  process.kill(before, 'SIGKILL');
  expect(await runs(url, 4)).toBe('COMPLETED');
  expect(executorOf()).not.toBe(before);
  expect((await service.stop()).code).toBe(0);
});

test('SIGHUP reloads the site file as a whole: for asks, the book and executors', async () => {
  site({ here: 4 });
  const { service, url } = await start();
  expect(await offered(url, 8)).toBeUndefined();
  rules('here', 'there');
  site({ here: 2, there: 16 });
  service.kill('SIGHUP');
  await service.logged('the site file is reloaded');
  expect((await offered(url, 8))?.destination).toBe('there');
  expect(await runs(url, 8)).toBe('COMPLETED');
  expect(
    await service.logged(
      'another site file is in force: this executor ends, and the next one has it',
    ),
  ).toMatchObject({ level: 30 });
  // A removed destination leaves the rules, too.
  rules('there');
  site({ there: 16 });
  service.kill('SIGHUP');
  await until(
    'it is gone',
    async () => (await offered(url, 1))?.destination === 'there' || undefined,
  );
  // The rules are read once more after the site.
  await until(
    'all is well',
    async () => (await readiness(url)).parts['rules'] === 'ok' || undefined,
  );
  expect((await service.stop()).code).toBe(0);
});

test.each([
  {
    what: 'one that cannot be read',
    change: () => replaceFile(join(ground.folder, 'site.yml'), 'destinations: ['),
    says: /site\.yml:\d+:\d+: /,
    tells: /^site\.yml:\d+:\d+: the log says what is wrong there$/,
  },
  {
    what: 'one with a destination that no rule knows',
    change: () => site({ here: 8, nowhere: 8 }),
    says: /destination 'nowhere' of the site file is in no rule file/,
    tells: /^destination 'nowhere' of the site file is in no rule file/,
  },
  {
    what: 'a change that needs a restart',
    change: () => site({ here: 8 }, { sandbox: { 'decision-ms': 777 } }),
    says: /^sandbox changed, which needs a restart$/,
    tells: /^sandbox changed, which needs a restart$/,
  },
])('with $what nothing comes into force, and the log says why', async ({ change, says, tells }) => {
  site({ here: 4 });
  const { service, url } = await start();
  change();
  service.kill('SIGHUP');
  expect(
    await service.logged('the site file cannot be reloaded; the previous one stays in force'),
  ).toMatchObject({ level: 50, problems: [expect.stringMatching(says)] });
  expect(await readiness(url)).toMatchObject({
    ready: true,
    parts: { site: 'degraded', rules: 'ok' },
    problems: {
      site: [
        expect.stringMatching(/^the site file cannot be reloaded/),
        expect.stringMatching(tells),
      ],
    },
  });
  expect(await offered(url, 8)).toBeUndefined();
  expect(await runs(url, 4)).toBe('COMPLETED');
  // The first site file can be put in force again, too.
  site({ here: 4 });
  service.kill('SIGHUP');
  await until(
    'nothing is wrong any more',
    async () => (await readiness(url)).parts['site'] === 'ok' || undefined,
  );
  expect((await readiness(url)).problems).toBeUndefined();
  expect((await service.stop()).code).toBe(0);
});
