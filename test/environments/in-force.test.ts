import { once } from 'node:events';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { EnvironmentTerms } from '../../src/environments/environment.ts';
import type { EnvironmentFacts } from '../../src/environments/facts.ts';
import {
  environmentsIn,
  followEnvironments,
  type EnvironmentsInForce,
} from '../../src/environments-in-force.ts';
import { readSite } from '../../src/site/read.ts';
import type { Site } from '../../src/site/site.ts';
import { factsOf } from './with-packages.ts';

const JUPYTER = { runner: 'notebook', notebook: { jupyter: '/opt/first/bin/python' } };
const LOG = { info: () => undefined, warn: () => undefined };

const opened: EnvironmentsInForce[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

describe('the environments in force', () => {
  test('keep the names of the site file; the executor knows no others', async () => {
    const site = siteOf({
      a: JUPYTER,
      b: { ...JUPYTER, notebook: { jupyter: '/opt/second/bin/python' } },
      c: { runner: 'notebook', environments: ['jupyter'] },
    });
    const followed = follow(site);
    await followed.learn(site);
    const { destinations } = followed.complete(site);
    const names = [...destinations].map(([id, { environments }]) => [id, environments?.[0]?.name]);
    expect(Object.fromEntries(names)).toEqual({ a: 'jupyter-2', b: 'jupyter-3', c: 'jupyter' });
  });

  test('judge nothing where the site file names none and the interpreter says nothing', async () => {
    const site = siteOf({
      unnamed: { runner: 'process' },
      named: { runner: 'process', environments: ['jupyter'] },
    });
    const followed = follow(site, () => ({ state: 'broken', why: 'it is a shell' }));
    await followed.learn(site);
    const { destinations } = followed.complete(site);
    expect(destinations.get('unnamed')?.environments).toBeUndefined();
    expect(destinations.get('named')?.environments).toMatchObject([{ state: 'broken' }]);
    expect(followed.problems(site)).toEqual(['jupyter is broken']);
  });

  test('are asked again after what is installed while they are asked, and rest then', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'site-packages-'));
    const site = siteOf({ a: { runner: 'notebook', environments: ['jupyter'] } });
    let asked = 0;
    const followed = follow(site, () => {
      asked += 1;
      writeFileSync(join(folder, 'installed.py'), '');
      return { state: 'ready', facts: { ...factsOf({}), folders: [folder] } };
    });
    await followed.learn(site);
    await followed.refresh(site);
    expect(asked).toBe(2);
    utimesSync(folder, 1, 1);
    await followed.refresh(site);
    await followed.refresh(site);
    expect(asked).toBe(3);
    rmSync(folder, { recursive: true });
  });

  test('are asked no longer when the service stops, which makes none of them broken', async () => {
    const site = siteOf({ a: { runner: 'notebook', environments: ['jupyter'] } });
    const followed = followEnvironments(
      () => site,
      LOG,
      async ({ name, kind }, stop) => {
        if (!stop.aborted) await once(stop, 'abort');
        return { name, kind, state: 'broken', why: 'it was stopped' };
      },
    );
    const learned = followed.learn(site);
    followed.close();
    await learned;
    expect(followed.problems(site)).toEqual([]);
  });

  test.each([
    ['the paths that its jobs see', { process: { paths: ['/srv/lib'] } }, ['/srv/lib']],
    ['the machine, where its jobs see that', { process: { isolation: 'none' } }, ['/']],
    ['its own folders alone, otherwise', {}, []],
    ['the machine, as its notebooks do', notebooksWith('none'), ['/']],
    ['its own folders alone, as its notebooks do', notebooksWith('preferred'), []],
  ])('see %s', (_what, destination, paths) => {
    const site = siteOf({ a: { runner: 'process', ...destination } });
    expect(environmentsIn(site)).toMatchObject([{ kind: 'interpreter', paths }]);
  });
});

function notebooksWith(isolation: string): object {
  return { runner: 'notebook', notebook: { jupyter: '/opt/first/bin/python', isolation } };
}

type Said =
  | { readonly state: 'ready'; readonly facts: EnvironmentFacts }
  | { readonly state: 'broken'; readonly why: string };

function follow(
  site: Site,
  said: () => Said = () => ({ state: 'ready', facts: factsOf({}) }),
): EnvironmentsInForce {
  const ask = async ({ name, kind }: EnvironmentTerms) => ({ name, kind, ...said() });
  const followed = followEnvironments(() => site, LOG, ask);
  opened.push(followed);
  return followed;
}

function siteOf(destinations: Readonly<Record<string, object>>): Site {
  const rest = { 'task-types': ['python-program'], cores: 1, memory: '1GiB' };
  const reading = readSite(
    '/etc/planner/site.yml',
    JSON.stringify({
      rules: ['rules.yml'],
      runners: { process: { python: '/usr/bin/python3' } },
      environments: { jupyter: { python: '/opt/third/bin/python' } },
      destinations: Object.fromEntries(
        Object.entries(destinations).map(([id, one]) => [id, { ...rest, ...one }]),
      ),
    }),
  );
  if (reading.ok) return reading.site;
  throw new Error(JSON.stringify(reading.problems));
}
