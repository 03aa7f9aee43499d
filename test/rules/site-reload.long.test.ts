import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openGround, until, type Ground, type ServiceProcess } from '../cli/service-process.ts';
import { offersOf, openClient } from '../harness/client.ts';
import { replaceFile } from './rules-folder.ts';

const TYPE = 'https://www.purl.org/ivoa-net/task-type/executable';

// One service for all tests, each of which begins with a site of its own: a start takes six seconds
// of a core.
let ground: Ground;
let service: ServiceProcess;
let url: string;
beforeAll(async () => {
  ground = await openGround();
  rules('here');
  site({ here: 4 });
  service = ground.start({ environment: { SITE_FILE: join(ground.folder, 'site.yml') } });
  url = await service.ready();
  await until('it is ready', async () => (await fetch(`${url}/readyz`)).ok || undefined);
});
afterAll(async () => {
  await service.stop();
  await ground.close();
});

function rules(...destinations: readonly string[]): void {
  replaceFile(
    join(ground.folder, 'rules.yml'),
    JSON.stringify({
      destinations: Object.fromEntries(destinations.map((id) => [id, { runner: 'process' }])),
    }),
  );
}

/** Puts the first site in force again, whatever the test before it left. */
async function begin(): Promise<void> {
  site({ here: 4 });
  service.kill('SIGHUP');
  await until(
    'nothing is wrong any more',
    async () => (await readiness()).parts['site'] === 'ok' || undefined,
  );
}

function site(
  cores: Readonly<Record<string, number>>,
  more: object = {},
  destination: object = {},
): void {
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
            ...destination,
          },
        ]),
      ),
    }),
  );
}

/** Sends SIGHUP, and waits for the next line of the log with this message. */
function reload(message: string): Promise<object> {
  const before = service.output().length;
  service.kill('SIGHUP');
  return service.logged(message, before);
}

async function runs(cores: number): Promise<string> {
  const offer = await offered(cores);
  if (offer === undefined) return 'NO';
  await openClient(url)(`/offers/${offer.ident}`, { body: 'status: ACCEPTED' });
  return until('the job is over', async () => {
    const phase = await (await fetch(`${url}/jobs/${offer.ident}/phase`)).text();
    return phase === 'QUEUED' || phase === 'EXECUTING' ? undefined : phase;
  });
}

/** The first destination with an offer for these cores. */
async function offered(
  cores: number,
  command: readonly string[] = ['true'],
): Promise<{ readonly destination: string; readonly ident: string } | undefined> {
  const reply = await openClient(url)('/request', {
    body: JSON.stringify({
      task: { type: TYPE, spec: { command } },
      resources: { compute: [{ 'min-cores': cores }] },
    }),
  });
  const [first] = offersOf(reply);
  return first && { destination: String(Object(first).destination), ident: first.ident };
}

/** The parts of a ready service; within 2 s of a reload its executors begin anew. */
function readiness(): Promise<{
  readonly parts: Readonly<Record<string, string>>;
  readonly problems?: object;
}> {
  return until('the service is ready', async () => {
    const answer = await fetch(`${url}/readyz`);
    return answer.ok ? Object(await answer.json()) : undefined;
  });
}

function executorOf(): number | undefined {
  return ground.processes().find(({ command }) => command.includes('workers/executor'))?.pid;
}

test('an executor that restarts has the site of its planner, whatever became of the file', async () => {
  await begin();
  const before = executorOf();
  if (before === undefined) throw new Error('no executor');
  replaceFile(join(ground.folder, 'site.yml'), 'destinations: [');
  process.kill(before, 'SIGKILL');
  expect(await runs(4)).toBe('COMPLETED');
  expect(executorOf()).not.toBe(before);
});

test('a quota that is new counts what was asked for before', async () => {
  await begin();
  const open = await offered(1);
  site({ here: 4 }, { quotas: [{ for: 'anonymous', jobs: 1 }] });
  await reload('the site file is reloaded');
  expect(await offered(1)).toBeUndefined();
  await openClient(url)(`/offers/${open?.ident}`, { body: 'status: REJECTED' });
  expect(await runs(1)).toBe('COMPLETED');
  site({ here: 4 });
  await reload('the site file is reloaded');
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
  await begin();
  change();
  expect(
    await reload('the site file cannot be reloaded; the previous one stays in force'),
  ).toMatchObject({ level: 50, problems: [expect.stringMatching(says)] });
  expect(await readiness()).toMatchObject({
    parts: { site: 'degraded', rules: 'ok' },
    problems: {
      site: [
        expect.stringMatching(/^the site file cannot be reloaded/),
        expect.stringMatching(tells),
      ],
    },
  });
  expect(await offered(8)).toBeUndefined();
  expect(await runs(4)).toBe('COMPLETED');
  // The first site file can be put in force again, too.
  await begin();
  expect((await readiness()).problems).toBeUndefined();
});

test('a site without the runner of a job comes into force only once the job is over', async () => {
  await begin();
  const { ident = 'none' } = (await offered(1, ['sleep', '300'])) ?? {};
  await openClient(url)(`/offers/${ident}`, { body: 'status: ACCEPTED' });
  site({ here: 4 }, {}, { runner: 'notebook', 'task-types': ['jupyter-notebook'] });
  const refused = 'the site file cannot be reloaded; the previous one stays in force';
  expect(await reload(refused)).toMatchObject({
    problems: [
      'unfinished jobs or open offers need the runner process, which no destination has now',
    ],
  });
  await fetch(`${url}/jobs/${ident}/phase`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'PHASE=ABORT',
  });
  await until(
    'the job is over',
    async () =>
      (await (await fetch(`${url}/jobs/${ident}/phase`)).text()) === 'ABORTED' || undefined,
  );
  expect(await reload('the site file is reloaded')).toMatchObject({ destinations: 1 });
  site({ here: 4 });
  await reload('the site file is reloaded');
});

test('SIGHUP during a start brings in force what changed meanwhile', async () => {
  await begin();
  await service.stop();
  service = ground.start({ environment: { SITE_FILE: join(ground.folder, 'site.yml') } });
  await service.logged('embedded PostgreSQL runs');
  site({ here: 6 });
  service.kill('SIGHUP');
  url = await service.ready();
  expect(await service.logged('the site file is reloaded')).toMatchObject({ destinations: 1 });
  expect((await offered(6))?.destination).toBe('here');
});

// The last: rules and sites of the others do not know its other destination.
test('SIGHUP reloads the site file as a whole: for asks, the book and executors', async () => {
  await begin();
  expect(await offered(8)).toBeUndefined();
  rules('here', 'there');
  site({ here: 2, there: 16 });
  const before = service.output().length;
  await reload('the site file is reloaded');
  expect((await offered(8))?.destination).toBe('there');
  expect(await runs(8)).toBe('COMPLETED');
  // The executor that has it began after the reload. Which one said that it ends for a site, this
  // test's or the one before, depends on how fast that one's successor was.
  await service.logged('executor is ready', before);
  expect(
    await service.logged(
      'another site file is in force: this executor ends, and the next one has it',
    ),
  ).toMatchObject({ level: 30 });
  // A removed destination leaves the rules, too.
  rules('there');
  site({ there: 16 });
  service.kill('SIGHUP');
  await until('it is gone', async () => (await offered(1))?.destination === 'there' || undefined);
  // The rules are read once more after the site.
  await until('all is well', async () => (await readiness()).parts['rules'] === 'ok' || undefined);
  expect((await service.stop()).code).toBe(0);
});
