import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';
import { isRecorded, openFolder, openShared } from './folder.ts';
import { judgeFolder } from './judge.ts';

(isRecorded ? describe : describe.skip)(
  'answers recorded from the real TPV (skipped without ../shared/tpv)',
  () => {
    test('every case and every trace agrees', async () => {
      const results = await judgeFolder(openShared());
      expect(results.filter(({ difference }) => difference !== undefined)).toEqual([]);
      expect(results.length).toBeGreaterThan(1_300);
    });
  },
);

describe('answers of the real TPV to generated files (fuzz/README.md)', () => {
  test('every one agrees', async () => {
    const results = await judgeFolder(openFolder(new URL('recorded/', import.meta.url)));
    expect(results.filter(({ difference }) => difference !== undefined)).toEqual([]);
    expect(results.length).toBeGreaterThan(150);
  });
});

describe('answers of the real TPV to rules on its objects, and to merged keys (fuzz/README.md)', () => {
  test('every one agrees', async () => {
    const results = await judgeFolder(openFolder(new URL('written/', import.meta.url)));
    expect(results.filter(({ difference }) => difference !== undefined)).toEqual([]);
    expect(results.length).toBeGreaterThan(120);
  });
});

describe('the two arguments of TPV’s gateway', () => {
  test('a case agrees when its refusals do, through both arguments, whatever its notes are', async () => {
    const own = mkdtempSync(join(tmpdir(), 'conformance-gateway-'));
    const message =
      'Only one of tpv_configs or tpv_config_files can be specified in execution environment.';
    const both = { ...JSON.parse(mapping('both', 'd')), expect: { error: 'ValueError', message } };
    const other = {
      ...JSON.parse(mapping('other', 'd')),
      expect: { error: 'ValueError', message: 'Something else.' },
    };
    writeFileSync(join(own, 'cases.jsonl'), `${JSON.stringify(both)}\n${JSON.stringify(other)}\n`);
    const results = await judgeFolder(openFolder(pathToFileURL(`${own}/`)));
    rmSync(own, { recursive: true });
    expect(
      results.filter(({ difference }) => difference !== undefined).map(({ id }) => id),
    ).toEqual(['other']);
  });
});

const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const rules = 'tools:\n  x: {cores: 2}\ndestinations:\n  d: {runner: r}\n';
function mapping(id: string, destination: string): string {
  return JSON.stringify({
    id,
    kind: 'map',
    configs: [{ yaml: rules }],
    tool: { id: 'x' },
    user: null,
    roles: [],
    job: { inputs: [] },
    expect: { destination, cores: 2 },
  });
}

function run(...words: readonly string[]) {
  return spawnSync(
    process.execPath,
    ['--no-warnings', fileURLToPath(new URL('run.ts', import.meta.url)), ...words],
    { encoding: 'utf8' },
  );
}

describe('the conformance runner', () => {
  test('counts what agrees, shows each difference, and fails when there is one', async () => {
    writeFileSync(join(folder, 'cases.jsonl'), `${mapping('good', 'd')}\n`);
    expect(run(folder)).toMatchObject({ status: 0, stdout: '1 passed, 0 failed\n' });
    writeFileSync(
      join(folder, 'cases-more.jsonl'),
      `${mapping('bad', 'e')}\n{"id":"new","kind":"song"}\n`,
    );
    const { status, stdout } = run(folder);
    expect(status).toBe(1);
    expect(stdout.split('\n')[0]).toBe('1 passed, 2 failed');
    expect(stdout).toContain('map bad\n  destination: "d" instead of "e"');
    expect(stdout).toContain("song new\n  there is nothing that judges cases of kind 'song'");
  });

  test('counts a trace without its case as failed', async () => {
    writeFileSync(join(folder, 'traces.jsonl'), '{"id":"gone","trace":""}\n');
    const results = await judgeFolder(openFolder(pathToFileURL(`${folder}/`)));
    expect(results).toContainEqual({
      id: 'gone',
      kind: 'trace',
      difference: 'there is no case of this id',
    });
  });

  test('treats a folder without cases as an error, not as a success', () => {
    expect(run(tmpdir())).toMatchObject({ status: 2, stdout: '' });
    expect(run()).toMatchObject({ status: 2, stdout: '' });
  });
});
