import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { loadPlugins } from '../../src/plugins/load.ts';
import { readSite } from '../../src/site/read.ts';

const root = mkdtempSync(join(tmpdir(), 'planner-mistakes-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;

describe('an answer of an engine of a plug-in that is none is a mistake at its destination', () => {
  test.each([
    ["lackOf: () => { throw new Error('boom'); }", 'lackOf() of', 'failed: boom'],
    ["devicesOf: () => { throw new Error('boom'); }", 'devicesOf() of', 'failed: boom'],
    ['lackOf: () => ({ key: {} })', 'lackOf() of', '{ key, hint } with texts, not { key: {} }'],
    ['lackOf: () => 5', 'lackOf() of', '{ key, hint } with texts, not 5'],
    ["lackOf: () => ({ key: 'python' })", 'lackOf() of', "not { key: 'python' }"],
    [
      'async lackOf() { return undefined; }',
      'lackOf() of',
      'must give undefined or { key, hint } with texts, not Promise { undefined }',
    ],
    [
      "get lackOf() { return () => ({ get key() { throw new Error('boom'); }, hint: '' }); }",
      'lackOf() of',
      'failed: boom',
    ],
    ["devicesOf: () => ({ gpu: ['0'] })", 'devicesOf() of', "not { gpu: [ '0' ] }"],
    ['async devicesOf() { return {}; }', 'devicesOf() of', 'not Promise'],
    ["isGuaranteed: () => 'yes'", 'isGuaranteed() of', "must give true or false, not 'yes'"],
    ['grantsOutbound: () => 1', 'grantsOutbound() of', 'must give true or false, not 1'],
  ])('%s', async (member, method, message) => {
    const { folder, file } = install(member);
    const site = {
      rules: ['rules.yml'],
      destinations: {
        here: { runner: 'x', cores: 1, memory: 1, 'task-types': ['python-program'] },
      },
    };
    const reading = readSite('site.yml', JSON.stringify(site), await loadPlugins(folder));
    expect(reading).toMatchObject({
      ok: false,
      problems: [{ file: 'site.yml', line: 1, hint: 'the plug-in is at fault' }],
    });
    const [problem] = reading.ok ? [] : reading.problems;
    expect(problem?.message).toMatch(`destinations.here.x: ${method} the runner x in ${file} `);
    expect(problem?.message).toContain(message);
  });
});

test('an engine of a plug-in may name no devices, and need not know the types of workflows', async () => {
  const { folder } = install(`
    executes: ['python-program', 'cwl-workflow'],
    devicesOf: ({ gpus }) => gpus,
    lackOf: (_settings, type) => ({ 'python-program': () => undefined })[type](),
  `);
  const site = {
    rules: ['rules.yml'],
    destinations: { here: { runner: 'x', cores: 1, memory: 1, 'task-types': ['python-program'] } },
  };
  expect(readSite('site.yml', JSON.stringify(site), await loadPlugins(folder))).toMatchObject({
    ok: true,
  });
});

test('an engine of a plug-in may have members of its own, for its methods', async () => {
  const { folder } = install(`
    moons: 4,
    names: ['x'],
    lackOf() { return this.moons === 4 ? undefined : { key: 'a', hint: 'b' }; },
    parallel: { types: ['executable'], launcher: 'mpirun' },
  `);
  await expect(loadPlugins(folder)).resolves.toBeDefined();
});

test('a hint of an engine of a plug-in is shortened to 500 letters', async () => {
  const { folder } = install("lackOf: () => ({ key: 'python', hint: 'é'.repeat(501) })");
  const reading = readSite(
    'site.yml',
    JSON.stringify({
      rules: ['rules.yml'],
      destinations: {
        here: { runner: 'x', cores: 1, memory: 1, 'task-types': ['python-program'] },
      },
    }),
    await loadPlugins(folder),
  );
  expect(reading).toMatchObject({
    ok: false,
    problems: [{ hint: expect.stringMatching(/^[^é]*é{499}…[^é]*$/) }],
  });
});

describe('an engine of a plug-in cannot be loaded with', () => {
  test.each([
    ["name: 'cores'", "runners[0].name cannot be 'cores', which is a key of every destination"],
    ["name: 'task-types'", "runners[0].name cannot be 'task-types'"],
    ['handsOutGPUs: true', "runners[0] has no 'handsOutGPUs'; did you mean 'handsOutGpus'?"],
    [
      "executes: ['python']",
      'runners[0].executes must be a list of jupyter-notebook, python-program, executable',
    ],
    ["reach: 'moon'", "runners[0].reach must be 'host' or 'anywhere'"],
    ["interpreters: 'python'", 'runners[0].interpreters must be a list of texts'],
    ['devicesOf: {}', 'runners[0].devicesOf must be a function'],
    ['open: undefined', 'runners[0] must have name, settings, executes, reach and open'],
    ['parallel: true', 'runners[0].parallel must be an object'],
    ['parallel: {}', 'runners[0].parallel must have types'],
    [
      "parallel: { types: ['python-program'] }",
      'runners[0].parallel.types must be a list of executable, oci-container',
    ],
    [
      "parallel: { types: ['oci-container'] }",
      'runners[0].parallel.types must be types that the runner executes',
    ],
    [
      "parallel: { types: ['executable'], uniform: true }",
      "runners[0].parallel has no 'uniform'; did you mean 'isUniform'?",
    ],
  ])('%s', async (member, message) => {
    const { folder, file } = install(member);
    await expect(loadPlugins(folder)).rejects.toThrow(`${file}: ${message}`);
  });
});

/** A plug-in with a runner x, with this member more or instead. */
function install(member: string): { readonly folder: string; readonly file: string } {
  count += 1;
  const folder = join(root, String(count));
  const file = join(folder, 'one/plugin.mjs');
  mkdirSync(join(folder, 'one'), { recursive: true });
  writeFileSync(
    file,
    "export default { runners: [{ name: 'x', settings: {}, executes: ['executable', " +
      `'python-program'], reach: 'host', open: () => 1, ${member} }] };`,
  );
  return { folder, file };
}
