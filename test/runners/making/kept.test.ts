import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { MadeTerms } from '../../../src/environments/environment.ts';
import { keep, takeKept } from '../../../src/runners/making/kept.ts';
import { makePlaces, markOf, placesOf } from '../../../src/runners/making/places.ts';
import { DRAFTS } from '../../../src/runners/run/draft.ts';
import type { RunId } from '../../../src/words/run-id.ts';
import { mebibytes, seconds } from '../../../src/words/units.ts';
import { newJob, removeRoot, temporaryRoot } from '../workloads.ts';

const TERMS: MadeTerms = {
  name: 'any',
  kind: 'venv',
  python: '/usr/bin/python3',
  paths: [],
  index: 'https://pypi.org/simple',
  builds: false,
  most: 20,
  size: mebibytes(1024),
  time: seconds(600),
};
const HOURS_AGO = new Date(Date.now() - 3 * 3_600_000);

let jobsRoot: string;
beforeEach(async () => {
  jobsRoot = temporaryRoot();
  await makePlaces(placesOf(jobsRoot));
});
afterEach(() => removeRoot(jobsRoot));

describe('an environment that two hosts make at the same time', () => {
  test('is kept once, and the second host is told so', async () => {
    expect(await keeps('key', 'first')).toBe(true);
    expect(await keeps('key', 'second')).toBe(false);
    expect((await takeKept(jobsRoot, 'key', newJob()))?.folder).toBe(placeOf('first', 'venv'));
  });

  test('is replaced when what the first host kept does not work', async () => {
    await keep(jobsRoot, 'key', TERMS, { id: 'lost', megabytes: 1, installed: [] });
    expect(await keeps('key', 'second')).toBe(true);
    expect((await takeKept(jobsRoot, 'key', newJob()))?.folder).toBe(placeOf('second', 'venv'));
  });
});

describe('the folder of an environment', () => {
  test('stays while a run has it, whatever is kept under its key by now', async () => {
    await keeps('key', 'old');
    const run = await runs('key');
    await replace('key', 'old', 'new');
    makeOld('old');
    await keeps('other', 'another');
    expect(existsSync(placeOf('old', 'venv/bin/python'))).toBe(true);
    writeFileSync(join(jobsRoot, run, 'outcome.json'), '{}');
    await keeps('third', 'one-more');
    expect(existsSync(placeOf('old'))).toBe(false);
    expect(existsSync(join(placesOf(jobsRoot).uses, 'old'))).toBe(false);
    expect(existsSync(placeOf('new'))).toBe(true);
  });

  test('stays while runs that have it are prepared, also during the look for them', async () => {
    await keeps('key', 'old');
    await replace('key', 'old', 'new');
    makeOld('old');
    // The run that is seen first comes last in the folder.
    const [last, ...others] = Array.from({ length: 1000 }, () => newJob())
      .toSorted()
      .toReversed();
    prepares(last, 'old');
    let isKept = false;
    const keeping = keeps('other', 'another').finally(() => (isKept = true));
    const begun: (RunId | undefined)[] = [last];
    for (const run of others) {
      prepares(run, 'old');
      begun.push(run);
      await new Promise((resolve) => setImmediate(resolve));
      if (isKept) break;
    }
    await keeping;
    expect(readdirSync(join(placesOf(jobsRoot).uses, 'old'))).toEqual(begun.toSorted());
    expect(existsSync(placeOf('old', 'venv/bin/python'))).toBe(true);
  });

  test('stays while it is being made, however long that takes, and goes when the making died', async () => {
    const places = placesOf(jobsRoot);
    for (const name of ['slow', 'dead']) {
      make(name);
      mkdirSync(join(places.uses, name));
      writeFileSync(markOf(places, name), '');
      makeOld(name);
    }
    utimesSync(markOf(places, 'dead'), HOURS_AGO, HOURS_AGO);
    await keeps('key', 'another');
    expect(existsSync(placeOf('slow'))).toBe(true);
    expect(existsSync(placeOf('dead'))).toBe(false);
  });

  test('is as old as its store says, not as the clock of this host', async () => {
    make('fresh');
    const now = Date.now;
    Date.now = () => now() + 24 * 3_600_000;
    try {
      await keeps('key', 'another');
    } finally {
      Date.now = now;
    }
    expect(existsSync(placeOf('fresh'))).toBe(true);
  });
});

test('a note that a removal hid before it died is removed after two hours', async () => {
  const { ready } = placesOf(jobsRoot);
  const [dead, alive] = [join(ready, 'dead.json.gone'), join(ready, 'alive.json.gone')];
  for (const path of [dead, alive]) writeFileSync(path, '{}');
  utimesSync(dead, HOURS_AGO, HOURS_AGO);
  await keeps('key', 'one');
  expect([existsSync(dead), existsSync(alive)]).toEqual([false, true]);
});

/** Begins the preparation of a run with an environment. */
function prepares(run: RunId | undefined, folder: string): void {
  mkdirSync(join(jobsRoot, DRAFTS, `${run}.1.abcdef01`), { recursive: true });
  const uses = join(placesOf(jobsRoot).uses, folder);
  mkdirSync(uses, { recursive: true });
  writeFileSync(join(uses, `${run}`), '');
}

/** Begins a run with the environment of a key. */
async function runs(key: string): Promise<RunId> {
  const run = newJob();
  await takeKept(jobsRoot, key, run);
  mkdirSync(join(jobsRoot, run));
  return run;
}

/** Puts another environment under a key, as a host does that finds the old one damaged. */
async function replace(key: string, old: string, id: string): Promise<void> {
  const python = placeOf(old, 'venv/bin/python');
  rmSync(python);
  expect(await keeps(key, id)).toBe(true);
  writeFileSync(python, '');
}

async function keeps(key: string, id: string): Promise<boolean> {
  make(id);
  return keep(jobsRoot, key, TERMS, { id, megabytes: 1, installed: [] });
}

/** What a making leaves. */
function make(name: string): void {
  mkdirSync(placeOf(name, 'venv/bin'), { recursive: true });
  writeFileSync(placeOf(name, 'venv/bin/python'), '');
}

function makeOld(name: string): void {
  utimesSync(placeOf(name), HOURS_AGO, HOURS_AGO);
}

function placeOf(name: string, path = ''): string {
  return join(placesOf(jobsRoot).made, name, path);
}
