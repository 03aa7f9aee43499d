import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openGround, until, type Ground, type ServiceProcess } from '../cli/service-process.ts';
import { offersOf, openClient } from '../harness/client.ts';
import { replaceFile } from '../rules/rules-folder.ts';

const PATIENCE = 400_000;
const TYPE = 'https://www.purl.org/ivoa-net/task-type/executable';
const WORD = 'https://example.org/task-type/word';

/** An engine and a type of task that say a word, which is in another module. */
const CODE = `
import { word } from './word.mjs';
export default {
  runners: [{
    name: 'polite', settings: {}, executes: ['executable'], reach: 'host',
    open: (_, tools) => tools.localRunner({ before: () => ['/usr/bin/env', 'WORD=' + word] }),
  }],
  tasks: [{
    name: 'word', type: '${WORD}', schema: {},
    adapt: () => ({ type: '${TYPE}', spec: { command: ['echo', word] } }),
  }],
};
`;

let ground: Ground;
let service: ServiceProcess;
let url: string;
beforeEach(async () => {
  ground = await openGround();
  mkdirSync(join(ground.folder, 'plugins/polite'), { recursive: true });
  file('plugins/polite/plugin.mjs', CODE);
  say('old');
  site('polite');
  service = ground.start({
    environment: {
      SITE_FILE: join(ground.folder, 'site.yml'),
      PLUGINS_DIR: join(ground.folder, 'plugins'),
    },
  });
  url = await service.ready();
  await until('it is ready', async () => (await fetch(`${url}/readyz`)).ok || undefined);
}, PATIENCE);
afterEach(() => ground.close());

test(
  'SIGHUP brings changed code of a plug-in in force, for asks and executors, and what runs goes on',
  async () => {
    const slow = await accepted(command('echo $WORD; until [ -e go ]; do sleep 0.1; done'));
    await until('it runs', async () => (await phaseOf(slow)) === 'EXECUTING' || undefined);
    say('new');
    service.kill('SIGHUP');
    await service.logged('the plug-ins are reloaded');
    await service.logged(
      'another site file is in force: this executor ends, and the next one has it',
    );
    expect(await printed({ type: WORD, spec: {} })).toBe('new\n');
    expect(await printed(command('echo $WORD'))).toBe('new\n');
    expect(await phaseOf(slow)).toBe('EXECUTING');
    writeFileSync(join(ground.folder, 'data/jobs', slow, 'work/go'), '');
    expect(await ended(slow)).toBe('COMPLETED');
    expect(await stdoutOf(slow)).toBe('old\n');
    expect((await service.stop()).code).toBe(0);
  },
  PATIENCE,
);

test.each([
  {
    what: 'a mistake in its code',
    change: () => file('plugins/polite/plugin.mjs', 'export default {'),
    says: /plugins\/polite\/plugin\.mjs: /,
  },
  {
    what: 'an engine that cannot be opened',
    change: () =>
      file(
        'plugins/polite/plugin.mjs',
        CODE.replace(/open: .*/, "open: () => { throw new Error('not today'); },"),
      ),
    says: /the runner polite cannot work here: not today/,
  },
  {
    what: 'an engine that is gone while a destination has it',
    change: () => {
      rmSync(join(ground.folder, 'plugins/polite'), { recursive: true });
      site('process');
    },
    says: /^the runner polite left the plug-ins, which needs a restart$/,
  },
])(
  'with $what the plug-ins stay as they were, and the log says why',
  async ({ change, says }) => {
    change();
    service.kill('SIGHUP');
    expect(
      await service.logged('the site file cannot be reloaded; the previous one stays in force'),
    ).toMatchObject({ level: 50, problems: [expect.stringMatching(says)] });
    expect(await printed({ type: WORD, spec: {} })).toBe('old\n');
    mkdirSync(join(ground.folder, 'plugins/polite'), { recursive: true });
    file('plugins/polite/plugin.mjs', CODE);
    say('mended');
    site('polite');
    service.kill('SIGHUP');
    await service.logged('the plug-ins are reloaded');
    expect(await printed({ type: WORD, spec: {} })).toBe('mended\n');
    expect((await service.stop()).code).toBe(0);
  },
  PATIENCE,
);

function say(word: string): void {
  file('plugins/polite/word.mjs', `export const word = '${word}';\n`);
}

function site(runner: string): void {
  file('rules.yml', JSON.stringify({ destinations: { here: { runner } } }));
  const amounts = { cores: 4, memory: '64GiB', scratch: '1TiB' };
  const here = { runner, 'task-types': ['executable', 'word'], ...amounts };
  file('site.yml', JSON.stringify({ quotas: [], rules: ['rules.yml'], destinations: { here } }));
}

function file(path: string, text: string): void {
  replaceFile(join(ground.folder, path), text);
}

function command(script: string): object {
  return { type: TYPE, spec: { command: ['sh', '-c', script] } };
}

async function printed(task: object): Promise<string> {
  const job = await accepted(task);
  expect(await ended(job)).toBe('COMPLETED');
  return stdoutOf(job);
}

/** Asks for a task and accepts its offer. @returns the job */
async function accepted(task: object): Promise<string> {
  const reply = await openClient(url)('/request', { body: JSON.stringify({ task }) });
  const [offer] = offersOf(reply);
  if (offer === undefined) throw new Error(reply.text);
  await openClient(url)(`/offers/${offer.ident}`, { body: 'status: ACCEPTED' });
  return offer.ident;
}

function ended(job: string): Promise<string> {
  return until('the job is over', async () => {
    const phase = await phaseOf(job);
    return phase === 'QUEUED' || phase === 'EXECUTING' ? undefined : phase;
  });
}

async function phaseOf(job: string): Promise<string> {
  return (await fetch(`${url}/jobs/${job}/phase`)).text();
}

async function stdoutOf(job: string): Promise<string> {
  return (await fetch(`${url}/jobs/${job}/results/stdout`)).text();
}
