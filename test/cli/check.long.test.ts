import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { writeSite } from '../harness/site.ts';
import { openGround, PLANNER, type End, type Ground } from './service-process.ts';

const RULES = {
  tools: { default: { cores: 2 } },
  destinations: { here: { runner: 'process', max_accepted_cores: 4 } },
};
const SITE = {
  rules: ['rules.yml'],
  destinations: {
    here: {
      runner: 'process',
      'task-types': ['executable'],
      cores: 2,
      memory: '2GiB',
      scratch: '80GiB',
    },
  },
};

describe('planner check', () => {
  let ground: Ground;
  beforeEach(async () => {
    ground = await openGround();
  });
  afterEach(() => ground.close());

  const run = (...words: string[]): Promise<End> =>
    ground.start({ command: [...PLANNER, 'check', ...words] }).ended;

  /** Checks a site file and its rule file, given as data or text. */
  const check = async (
    site: object | string,
    rules: object | string,
  ): Promise<End & { folder: string }> => {
    const files = await writeSite(site, rules);
    const end = await run(files.siteFile);
    await files.remove();
    return { ...end, folder: files.folder };
  };

  test('warns of an interpreter of workflows that this machine does not have', async () => {
    const workflows = { cwl: { command: ['/nowhere/cwltool'] } };
    const here = { ...SITE.destinations.here, 'task-types': ['cwl-workflow'], workflows };
    const { code, output } = await check({ ...SITE, destinations: { here } }, RULES);
    expect(output).toContain(
      'warning: destinations.here.workflows.cwl: there is no program /nowhere/cwltool ' +
        'on this machine: its jobs will fail\n',
    );
    expect(code).toBe(0);
    const known = { ...here, workflows: { cwl: { command: ['sh'] } } };
    const second = await check({ ...SITE, destinations: { here: known } }, RULES);
    expect(second.output).not.toContain('there is no program');
  });

  test('says what was read and exits 0 when everything can be used', async () => {
    const { code, output } = await check(SITE, RULES);
    expect(output).toMatch(
      new RegExp(
        [
          '^rules: 1 tools, 1 destinations, digest [0-9a-f]{64}',
          'site: 1 destinations with capacity',
          String.raw`jobs of this machine: (?:bubblewrap \+ )?(?:cgroup v[12]|rlimits)`,
          'not checked: .*',
          'check passed\n$',
        ].join('\n'),
      ),
    );
    expect(code).toBe(0);
  });

  test('asks each interpreter what it has, and warns of a broken one', async () => {
    const { code, output } = await check(
      {
        ...SITE,
        environments: { mine: { python: '/nonexistent/bin/python' }, own: { pyodide: true } },
        destinations: {
          here: {
            ...SITE.destinations.here,
            runner: 'notebook',
            'task-types': ['python-program'],
            environments: ['mine', 'own'],
          },
        },
      },
      { destinations: { here: { runner: 'notebook' } } },
    );
    expect(output).toMatch(/^warning: the environment mine is broken: .+$/m);
    expect(output).toMatch(/^environment own: Python 3\.\d+\.\d+, 0 packages$/m);
    expect(code).toBe(0);
  });

  test('checks the site of the environment when no file is named', async () => {
    expect(await run()).toMatchObject({ code: 0, output: expect.stringContaining('check passed') });
  });

  test('names every mistake of a site file with file, line and column, and exits 1', async () => {
    const { code, output, folder } = await check(
      'rules: [rules.yml]\noffers:\n  lifetime: 5 min\ndestinations:\n  here: { runner: gpu }\n',
      RULES,
    );
    expect(output).toContain(`${join(folder, 'site.yml')}:3:13: offers.lifetime`);
    expect(output).toMatch(/site\.yml:5:\d+: destinations\.here\.runner/);
    expect(output).toMatch(/check failed\n$/);
    expect(code).toBe(1);
  });

  test('names a destination that no rule file has with file, line, column and what was meant', async () => {
    const { code, output, folder } = await check(
      'rules: [rules.yml]\ndestinations:\n  heer: { runner: process, task-types: [executable], ' +
        'cores: 2, memory: 2GiB }\n',
      RULES,
    );
    expect(output).toContain(
      `error: ${join(folder, 'site.yml')}:3:3: destination 'heer' of the site file is in no rule ` +
        "file; the rule files have here (did you mean 'here'?)\n",
    );
    expect(code).toBe(1);
  });

  test('says which folder of storage is not there, and leaves it to the start to make it', async () => {
    const path = join(ground.folder, 'sotrage');
    const { code, output } = await check(
      { ...SITE, storage: [{ name: 'a', type: 'directory', path, size: '1GiB' }] },
      RULES,
    );
    expect(output).toContain(`storage[0].path ${path} is not there yet: the start makes it\n`);
    expect([code, existsSync(path)]).toEqual([0, false]);
  });

  test.each([
    ['/proc/planner', /^error: storage\[0\]\.path \/proc\/planner cannot be made: \/proc cannot/m],
    ['/etc/passwd', /^error: storage\[0\]\.path \/etc\/passwd cannot be written: it is a file/m],
  ])('refuses %s as a folder of storage at once, and exits 1', async (path, message) => {
    const { code, output } = await check(
      { ...SITE, storage: [{ name: 'a', type: 'directory', path, size: '1GiB' }] },
      RULES,
    );
    expect(output).toMatch(message);
    expect(code).toBe(1);
  });

  test.each([
    ['text that is no YAML', 'tools: [unclosed\n', /rules\.yml:\d+:\d+: /],
    ['Python that cannot be read', 'tools:\n  default:\n    cores: "2 +"\n', /rules\.yml:3:\d+: /],
  ])(
    'names %s in a rule file with file, line and column, and exits 1',
    async (_what, rules, message) => {
      const { code, output } = await check(SITE, rules);
      expect(output).toMatch(message);
      expect(output).toMatch(/check failed\n$/);
      expect(code).toBe(1);
    },
  );

  test.each([
    [
      'scratch below what every task gets',
      { scratch: '5GiB' },
      'destinations.here.scratch is 5GiB, less than the 20GiB of defaults.scratch that every ' +
        'task gets: it cannot take any task',
    ],
    [
      'more cores than this machine has',
      { cores: 4000 },
      'destinations.here has 4000 cores in the site file, and this machine',
    ],
    [
      'more memory than this machine has',
      { memory: '900000GiB' },
      'destinations.here has 900000GiB of memory in the site file, and this machine',
    ],
    [
      'minima that nothing holds',
      { burst: { cores: 2 }, process: { isolation: 'none' } },
      'destinations.here has burst, and its isolation is none: its jobs get only their minimum',
    ],
  ])('warns of %s', async (_what, change, message) => {
    const { code, output } = await check(
      { ...SITE, destinations: { here: { ...SITE.destinations.here, ...change } } },
      RULES,
    );
    expect(output).toContain(`warning: ${message}`);
    expect(code).toBe(0);
  });

  test('warns of environments that are made while a job should already run', async () => {
    const made = { venv: { python: '/usr/bin/python3', index: 'https://pypi.org/simple' } };
    const here = { ...SITE.destinations.here, environments: ['made'] };
    const site = (prepare: string) => ({
      ...SITE,
      environments: { made },
      destinations: { here: { ...here, prepare } },
    });
    const late =
      'warning: destinations.here makes the environment made for jobs and has no prepare';
    expect((await check(site('PT0S'), RULES)).output).toContain(late);
    expect((await check(site('PT2M'), RULES)).output).not.toContain(late);
  });

  test('warns of an engine that does not answer', async () => {
    const here = {
      runner: 'container',
      'task-types': ['oci-container'],
      cores: 4,
      memory: '8GiB',
      scratch: '80GiB',
      container: { socket: '/nowhere/docker.sock' },
    };
    const { output } = await check({ ...SITE, destinations: { here } }, RULES);
    expect(output).toMatch(
      /(?:warning: the engine of here \(container\) does not answer|error): .*\/nowhere\/docker\.sock/,
    );
  });

  test('asks the engine of a plug-in by its own check', async () => {
    const plugins = join(ground.folder, 'plugins');
    await mkdir(join(plugins, 'remote'), { recursive: true });
    await writeFile(
      join(plugins, 'remote/plugin.mjs'),
      `export default { runners: [{
        name: 'remote', settings: {}, executes: ['executable'], reach: 'host',
        open: (_, tools) => tools.localRunner({ before: () => [] }),
        check: async ({ queue }) => { throw new Error('no queue ' + queue); },
      }] };`,
    );
    const here = { ...SITE.destinations.here, runner: 'remote', remote: { queue: 'night' } };
    const files = await writeSite({ ...SITE, destinations: { here } }, RULES);
    const { code, output } = await ground.start({
      command: [...PLANNER, 'check', files.siteFile],
      environment: { PLUGINS_DIR: plugins },
    }).ended;
    await files.remove();
    expect(output).toContain(
      'warning: the engine of here (remote) does not answer: no queue night\n',
    );
    expect(code).toBe(0);
  });

  test('refuses what the start refuses: a missing Python', async () => {
    const { code, output } = await check(
      { ...SITE, runners: { process: { python: '/nowhere/python3' } } },
      RULES,
    );
    expect(output).toMatch(/^error: the runner process cannot work here: .*\/nowhere\/python3/m);
    expect(code).toBe(1);
  });

  test('warns of what works but is most likely a mistake, and exits 0', async () => {
    const rules = {
      ...RULES,
      tools: { default: { cors: 2, rules: [{ if: true, execute: 'import numpy' }] } },
    };
    const { code, output } = await check(SITE, rules);
    expect(output).toMatch(/^warning: \S*rules\.yml:\d+:\d+: .*'cors'/m);
    expect(output).toMatch(/^warning: \S*rules\.yml:\d+:\d+: .*'numpy'/m);
    expect(code).toBe(0);
  });

  const USER = { for: 'user', cores: 4, 'asks-per-minute': 60 };
  test.each([
    ['users, and none for who has no credential', [USER], 'cores, asks-per-minute'],
    [
      'a role, and none for who has no credential',
      [{ for: 'role', name: 'students', jobs: 2 }],
      'jobs',
    ],
    [
      'users, and only a rate for the site',
      [USER, { for: 'site', 'asks-per-minute': 600 }],
      'cores',
    ],
  ])(
    'warns of quotas for %s, where everybody may ask, and exits 0',
    async (_what, quotas, limits) => {
      const { code, output } = await check({ ...SITE, quotas }, RULES);
      expect(output).toContain(
        `warning: quotas limit users (${limits}) but not anonymous clients; a user over ` +
          'quota can ask without a credential.',
      );
      expect(code).toBe(0);
    },
  );

  test.each([
    [
      'is one for who has no credential',
      { quotas: [USER, { for: 'anonymous', holds: 5, 'asks-per-minute': 60 }] },
    ],
    [
      'is one for all together',
      { quotas: [USER, { for: 'site', cores: 100, 'asks-per-minute': 600 }] },
    ],
    [
      'is nobody without a credential',
      {
        quotas: [USER],
        identity: { anonymous: false, tokens: [{ user: 'ada', sha256: 'a'.repeat(64) }] },
      },
    ],
    ['are none for users', { quotas: [{ for: 'site', cores: 100 }] }],
  ])('does not warn of quotas where there %s', async (_what, keys) => {
    const { code, output } = await check({ ...SITE, ...keys }, RULES);
    expect(output).not.toContain('warning');
    expect(code).toBe(0);
  });

  test('names a destination that the rules do not have, and exits 1', async () => {
    const { code, output } = await check(
      { ...SITE, destinations: { elsewhere: SITE.destinations.here } },
      RULES,
    );
    expect(output).toMatch(/^error: .*elsewhere/m);
    expect(code).toBe(1);
  });

  test.each([
    ['is not there', 'none.yml', 'ENOENT'],
    ['is a folder', '.', 'EISDIR'],
  ])('says so when the site file %s', async (_, name, code) => {
    const files = await writeSite(SITE, RULES);
    const file = join(files.folder, name);
    const ended = await ground.start({ command: [...PLANNER, 'check', file] }).ended;
    await files.remove();
    expect(ended.output).toContain(`${file}:1:1: the file cannot be read: ${code}`);
    expect(ended.code).toBe(1);
  });

  test('starts nothing: no database, no port, no data directory', async () => {
    const { output } = await run();
    expect(output).not.toContain('PostgreSQL');
    expect(ground.processes()).toEqual([]);
  });

  test('refuses an unknown command with exit code 2 and lists those that exist', async () => {
    const { code, output } = await ground.start({ command: [...PLANNER, 'chek'] }).ended;
    expect(output).toContain("planner: there is no command 'chek'\nusage: planner COMMAND\n");
    expect(code).toBe(2);
  });
});
