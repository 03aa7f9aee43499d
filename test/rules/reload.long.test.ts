import { mkdirSync, renameSync, symlinkSync, writeFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ConfigurationError } from '../../src/site/load.ts';
import { jobOf } from '../vortex/job.ts';
import { coresOf, openGround, rulesOf, until, type Ground } from './rules-folder.ts';

let ground: Ground;
beforeEach(async () => {
  ground = await openGround();
});
afterEach(() => ground.close());

function write(file: string, text: string): void {
  writeFileSync(join(ground.folder, file), text);
}

describe('rule files that change', () => {
  test('are in force soon after they were written, or replaced by renaming', async () => {
    write('a.yml', rulesOf(1));
    const keeper = await ground.keep(ground.site('rules: [a.yml]'));
    expect(await coresOf(keeper)).toBe(1);
    write('a.yml', rulesOf(2));
    await until('the written file is in force', async () => (await coresOf(keeper)) === 2);
    write('a.yml.new', rulesOf(3));
    renameSync(join(ground.folder, 'a.yml.new'), join(ground.folder, 'a.yml'));
    await until('the renamed file is in force', async () => (await coresOf(keeper)) === 3);
    expect(keeper.counts()).toEqual({ loaded: 2, refused: 0 });
  });

  test('are followed through links that are swapped, as in a mounted ConfigMap', async () => {
    const at = (path: string): string => join(ground.folder, path);
    for (const [name, cores] of [
      ['..1', 1],
      ['..2', 2],
    ] as const) {
      mkdirSync(at(`rules/${name}`), { recursive: true });
      writeFileSync(at(`rules/${name}/a.yml`), rulesOf(cores));
    }
    symlinkSync('..1', at('rules/..data'));
    symlinkSync('..data/a.yml', at('rules/a.yml'));
    const keeper = await ground.keep(ground.site('rules: [rules/a.yml]'));
    expect(await coresOf(keeper)).toBe(1);
    symlinkSync('..2', at('rules/..next'));
    renameSync(at('rules/..next'), at('rules/..data'));
    await until('the new link is followed', async () => (await coresOf(keeper)) === 2);
  });

  test('are followed when their whole folder is replaced', async () => {
    mkdirSync(join(ground.folder, 'rules'));
    mkdirSync(join(ground.folder, 'next'));
    write('rules/a.yml', rulesOf(1));
    write('next/a.yml', rulesOf(2));
    const keeper = await ground.keep(ground.site('rules: [rules/a.yml]'));
    renameSync(join(ground.folder, 'rules'), join(ground.folder, 'old'));
    renameSync(join(ground.folder, 'next'), join(ground.folder, 'rules'));
    await until('the new folder is read', async () => (await coresOf(keeper)) === 2);
    write('rules/a.yml', rulesOf(3));
    await until('the new folder is watched', async () => (await coresOf(keeper)) === 3);
    expect(keeper.counts()).toEqual({ loaded: 2, refused: 0 });
  });

  test('are loaded once when several change together', async () => {
    const names = ['a', 'b', 'c', 'd'];
    for (const name of names) write(`${name}.yml`, rulesOf(1));
    const keeper = await ground.keep(
      ground.site(`rules: [${names.map((name) => `${name}.yml`).join(', ')}]`),
    );
    for (const name of names) write(`${name}.yml`, rulesOf(2));
    await until('they are in force', async () => (await coresOf(keeper)) === 2);
    expect(keeper.counts()).toEqual({ loaded: 1, refused: 0 });
  });

  test('that break leave the last good rules in force, and the log says where, until they are mended', async () => {
    write('a.yml', rulesOf(1));
    const keeper = await ground.keep(ground.site('rules: [a.yml]'));
    write('a.yml', rulesOf('4 +'));
    await until('the broken file was seen', () => keeper.state().kind === 'kept');
    expect(keeper.state().problems.join()).toMatch(/a\.yml:3:\d+: not Python/);
    expect(await coresOf(keeper)).toBe(1);
    await keeper.reload();
    await keeper.reload();
    expect(ground.said.filter(({ level }) => level === 'error')).toHaveLength(1);
    expect(keeper.counts()).toEqual({ loaded: 0, refused: 1 });
    rmSync(join(ground.folder, 'a.yml'));
    await until('the missing file was seen', () =>
      keeper.state().problems.join().includes('cannot be read'),
    );
    expect(await coresOf(keeper)).toBe(1);
    write('a.yml', rulesOf(5));
    await until('all is well again', () => keeper.state().kind === 'current');
    expect(await coresOf(keeper)).toBe(5);
    expect(keeper.state().problems).toEqual([]);
  });

  test('that drop a destination of the site file leave the last good rules in force', async () => {
    write('a.yml', rulesOf(1));
    const keeper = await ground.keep(ground.site('rules: [a.yml]'));
    write('a.yml', rulesOf(2).replace('here', 'there'));
    await until('it was seen', () => keeper.state().kind === 'kept');
    expect(keeper.state().problems.join()).toContain(
      "destination 'here' of the site file is in no rule file",
    );
    expect(await coresOf(keeper)).toBe(1);
  });

  test('that are most likely wrong somewhere cause a warning in the log, with the place', async () => {
    write('a.yml', rulesOf(1));
    const keeper = await ground.keep(ground.site('rules: [a.yml]'));
    expect(ground.said.filter(({ level }) => level === 'warn')).toEqual([]);
    write('a.yml', `${rulesOf(2)}    cors: 4\n`);
    await keeper.reload();
    expect(await coresOf(keeper)).toBe(2);
    expect(ground.said.filter(({ level }) => level === 'warn')).toEqual([
      expect.objectContaining({
        about: { all: 1, warnings: [expect.stringMatching(/a\.yml:7:5: .*'cors'/)] },
      }),
    ]);
  });

  test('that change back to what is in force need no load', async () => {
    write('a.yml', rulesOf(1));
    const keeper = await ground.keep(ground.site('rules: [a.yml]'));
    write('a.yml', rulesOf('4 +'));
    await until('the broken file was seen', () => keeper.state().kind === 'kept');
    write('a.yml', rulesOf(1));
    await until('all is well', () => keeper.state().kind === 'current');
    expect(keeper.counts()).toEqual({ loaded: 0, refused: 1 });
  });

  test('that are broken at the start stop it with every fault', async () => {
    write('a.yml', rulesOf('4 +'));
    write('b.yml', 'tools: 5\n');
    const refusal = await ground
      .keep(ground.site('rules: [a.yml, b.yml]'))
      .catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ConfigurationError);
    expect(String(refusal)).toMatch(/a\.yml:3:[^]*b\.yml:1:/);
  });
});

test('no decision fails, waits, or uses rules that never existed, while rules reload 20 times', async () => {
  write('a.yml', rulesOf(1));
  const keeper = await ground.keep(ground.site('rules: [a.yml]'));
  const seen = new Set<unknown>();
  const over = new AbortController();
  let asked = 0;
  const ask = async (): Promise<void> => {
    while (!over.signal.aborted) {
      seen.add(await coresOf(keeper));
      asked += 1;
    }
  };
  const asking = [ask(), ask(), ask(), ask()];
  for (let cores = 2; cores <= 21; cores += 1) {
    // Every third version cannot be loaded.
    write('a.yml', rulesOf(cores % 3 === 0 ? '1 +' : cores));
    await keeper.reload();
    const enough = asked + 6;
    await until('six are answered', () => asked >= enough);
  }
  over.abort();
  await Promise.all(asking);
  const expected = Array.from({ length: 21 }, (_, index) => index + 1).filter(
    (cores) => cores === 1 || cores % 3 !== 0,
  );
  expect([...seen].filter((cores) => !expected.some((one) => one === cores))).toEqual([]);
  expect(asked).toBeGreaterThan(100);
  expect(keeper.sandbox.stats().decisions).toBeGreaterThanOrEqual(asked);
  expect(keeper.sandbox.stats().failures).toBe(0);
});

test('a decision that began before a change uses the rules from before', async () => {
  write('a.yml', rulesOf('1 if len([i for i in range(20000)]) > 5 else 2'));
  const keeper = await ground.keep(ground.site('rules: [a.yml]'));
  const before = Array.from({ length: 8 }, () => keeper.sandbox.map(jobOf('sort')));
  write('a.yml', rulesOf(2));
  await keeper.reload();
  const kinds = await Promise.all(before);
  expect(
    new Set(
      kinds.map((decision) =>
        decision.kind === 'destination' ? decision.chosen.resources.cores.value : decision,
      ),
    ),
  ).toEqual(new Set([1]));
  expect(await coresOf(keeper)).toBe(2);
});
