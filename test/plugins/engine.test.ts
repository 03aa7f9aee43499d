import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { loadPlugins } from '../../src/plugins/load.ts';
import { engineKindOf, type Engine } from '../../src/runners/engine.ts';
import type { Runner } from '../../src/runners/port.ts';
import { readSite } from '../../src/site/read.ts';
import { mebibytes, millicores } from '../../src/words/units.ts';
import { removeRoot, run, shell, temporaryRoot, workload } from '../runners/workloads.ts';

const GPU = 'https://example.org/gpu';
const PYTHON = '/usr/bin/python3';

/** Engines of processes: with interpreters and devices, with neither, for workflows. */
const CODE = `
const open = ({ python, gpus }, tools) => tools.localRunner({ python, gpus, before: () => [] });
const settings = { type: 'object' };
const executes = ['executable', 'python-program'];
export default { runners: [
  {
    name: 'rich', settings, executes, reach: 'host', open, handsOutGpus: true,
    interpreters: ['python'], devicesOf: ({ gpus = {} }) => gpus,
    lackOf: ({ python }, type) =>
      type === 'python-program' && python === undefined ? { key: 'python', hint: 'a path' } : undefined,
  },
  {
    name: 'poor', settings, executes, reach: 'host', open,
    parallel: { types: ['executable'], isUniform: false },
  },
  {
    name: 'bare', settings, executes: ['executable'], reach: 'host',
    parallel: { types: ['executable'] },
    grantsOutbound: () => true, isGuaranteed: () => false,
    open: (_, tools) => tools.batchRunner({
      name: 'bare', title: 'Bare', idVariable: 'ID', given: [],
      submit: async () => { throw tools.refusal('it was submitted'); },
      jobs: async () => [], cancel: async () => undefined, probe: async () => undefined,
    }, { user: process.getuid() === 0 ? 'nobody' : undefined }),
  },
  { name: 'flow', settings, executes: ['cwl-workflow'], reach: 'host', open },
] };
`;

const root = temporaryRoot();
mkdirSync(join(root, 'plugins/two'), { recursive: true });
writeFileSync(join(root, 'plugins/two/plugin.mjs'), CODE);
const plugins = await loadPlugins(join(root, 'plugins'));
afterAll(() => removeRoot(root));

describe('an engine of a plug-in that names its interpreters', () => {
  test('takes environments instead of them, and lacks nothing then', () => {
    expect(engineWith({ runner: 'rich', environments: ['debian'] })).toMatchObject({
      runner: 'rich',
      environments: [{ name: 'debian', python: PYTHON }],
    });
    expect(engineWith({ runner: 'rich' })).toEqual([expect.stringContaining('rich.python')]);
  });

  test.each([
    [
      { runner: 'rich', environments: ['debian'], rich: { python: PYTHON } },
      'destinations.here.environments and rich.python exclude each other',
    ],
    [
      { runner: 'rich', environments: ['built-in'] },
      'destinations.here.environments: the rich runner has no built-in Python',
    ],
    [
      { runner: 'poor', environments: ['debian'] },
      'destinations.here.environments: the poor runner takes no environments',
    ],
  ])('%j is a mistake of the site file', (destination, message) => {
    expect(engineWith(destination)).toEqual([message]);
  });
});

(existsSync(PYTHON) ? describe : describe.skip)(
  `an engine of a plug-in with Debian's Python (skipped without ${PYTHON})`,
  () => {
    test('runs a program in the environment that was promised, and fails one that is gone', async () => {
      const runner = await opened({ runner: 'rich', environments: ['debian'] });
      const source = 'import sys; print(sys.executable)';
      const task = {
        type: 'python-program',
        program: { kind: 'inline', text: source },
        arguments: [],
      } as const;
      const work = { ...workload(task), interpreter: 'debian' };
      expect(await run(runner, work)).toMatchObject({ kind: 'completed' });
      expect(readFileSync(join(root, 'jobs', work.job, 'stdout'), 'utf8')).toBe(`${PYTHON}\n`);
      expect(await run(runner, { ...workload(task), interpreter: 'astro' })).toMatchObject({
        kind: 'failed',
        code: 'runner-failed',
        message: 'the destination no longer has the environment astro',
      });
      await runner.close();
    });
  },
);

test('an engine of a plug-in that runs workflows needs their interpreter, and others take none', () => {
  const workflows = { cwl: { command: ['cwltool'], versions: ['v1.2'] } };
  const flow = { runner: 'flow', 'task-types': ['cwl-workflow'] };
  expect(engineWith({ ...flow, workflows })).toMatchObject({ runner: 'flow', workflows });
  expect(engineWith(flow)).toEqual([
    'destinations.here takes cwl-workflow, which needs destinations.here.workflows.cwl',
  ]);
  expect(engineWith({ runner: 'poor', workflows })).toContain(
    'destinations.here.workflows: the poor runner runs no workflows',
  );
});

describe('an engine of a plug-in that hands out devices', () => {
  const named = { [GPU]: [{ id: 'GPU-7', files: [] }] };

  test('gives a job those that the settings name', async () => {
    const at = { runner: 'rich', environments: ['debian'], gpus: { [GPU]: 1 } };
    const runner = await opened({ ...at, rich: { gpus: named } });
    const work = { ...shell('echo $CUDA_VISIBLE_DEVICES'), gpus: { type: GPU, count: 1 } };
    expect(await run(runner, work)).toMatchObject({ kind: 'completed' });
    expect(readFileSync(join(root, 'jobs', work.job, 'stdout'), 'utf8')).toBe('GPU-7\n');
    await runner.close();
  });

  test('is promised no more of them, and one that hands out none is promised none', () => {
    const at = { environments: ['debian'], gpus: { [GPU]: 2 } };
    expect(engineWith({ ...at, runner: 'rich', rich: { gpus: named } })).toEqual([
      `destinations.here promises more devices of type '${GPU}' than destinations.here.rich.gpus names`,
    ]);
    expect(engineWith({ runner: 'poor', gpus: { [GPU]: 1 } })).toEqual([
      'destinations.here: the poor runner does not hand out GPUs',
    ]);
  });

  test('needs the memory of Jupyter for notebooks', () => {
    const engine = engineWith({ runner: 'poor' });
    if (!('runner' in engine)) throw new Error(engine.join());
    const { leastMemoryOf } = engineKindOf(engine);
    expect(leastMemoryOf?.(engine, 'jupyter-notebook')).toBe(256);
    expect(leastMemoryOf?.(engine, 'executable')).toBeUndefined();
  });
});

describe('an engine of a plug-in that starts parallel jobs', () => {
  test('starts a command once, which finds its machines', async () => {
    const runner = await opened({ runner: 'poor', parallel: true });
    const machine = { cores: millicores(1000), memory: mebibytes(256) };
    const work = {
      ...shell('echo started; wc -l < "$MACHINE_HOST_FILE"; printf "$MACHINE_HOSTS" | wc -w'),
      allocation: [machine, machine] as const,
    };
    expect(await run(runner, work)).toMatchObject({ kind: 'completed' });
    const printed = readFileSync(join(root, 'jobs', work.job, 'stdout'), 'utf8');
    expect(printed).toMatch(/^started\n[12]\n\d+\n$/);
    await runner.close();
  });

  test('says which, and others cannot be asked for them', () => {
    const engine = engineWith({ runner: 'poor', parallel: true });
    if (!('runner' in engine)) throw new Error(engine.join());
    expect(engineKindOf(engine).parallel).toEqual({ types: ['executable'], isUniform: false });
    expect(engineWith({ runner: 'flow', 'task-types': [], parallel: true })).toEqual([
      'destinations.here.parallel: the flow runner starts no parallel jobs',
    ]);
  });

  test('fails them where its batch system finds no nodes', async () => {
    const runner = await opened({ runner: 'bare', 'task-types': ['executable'], parallel: true });
    const machine = { cores: millicores(1000), memory: mebibytes(256) };
    const work = { ...shell('true'), allocation: [machine, machine] as const };
    expect(await run(runner, work)).toMatchObject({
      kind: 'failed',
      code: 'runner-failed',
      message: 'the batch system of bare has no `parallel`, so its jobs find no nodes',
    });
    await runner.close();
  });
});

test('an engine of a plug-in says whether jobs get a network and whether it reserves', () => {
  const engine = engineWith({ runner: 'bare', 'task-types': ['executable'] });
  if (!('runner' in engine)) throw new Error(engine.join());
  const kind = engineKindOf(engine);
  expect([kind.grantsOutbound?.(engine), kind.isGuaranteed?.(engine)]).toEqual([true, false]);
});

async function opened(destination: object): Promise<Runner> {
  const engine = engineWith(destination);
  const type = plugins.engineTypes.find(({ name }) => 'runner' in engine && name === engine.runner);
  if (!('runner' in engine) || type === undefined) throw new Error(JSON.stringify(engine));
  const urls = { allowHosts: [], fileRoots: [] };
  return type.open(engine, { jobsRoot: join(root, 'jobs'), urls });
}

/** The engine of a destination with these keys, or what is wrong with the site. */
function engineWith(destination: object): Engine | readonly string[] {
  const amounts = { cores: 1, memory: 1, 'task-types': ['python-program'] };
  const site = {
    rules: ['rules.yml'],
    environments: { debian: { python: PYTHON }, 'built-in': { pyodide: true } },
    destinations: { here: { ...amounts, ...destination } },
  };
  const reading = readSite('site.yml', JSON.stringify(site), plugins);
  if (!reading.ok) return reading.problems.map(({ message }) => message);
  const here = reading.site.destinations.get('here');
  if (here === undefined) throw new Error('no destination');
  return here.engine;
}
