import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { Ask, AskStorage } from '../../src/planner/ask.ts';
import { belowLeastAmounts, withLeastAmounts } from '../../src/planner/judge/workflows/amounts.ts';
import { needsWithin } from '../../src/planner/judge/workflows/needs.ts';
import { remediesFor } from '../../src/planner/nearest/remedy.ts';
import { builtInTypes } from '../../src/tasks/registry.ts';
import { parseObjectId } from '../../src/words/ids.ts';
import { mebibytes, seconds } from '../../src/words/units.ts';
import { askFor, siteOf } from '../harness/asks.ts';
import { decide, refusals } from '../planner/decide.ts';

const CWL = { command: ['cwltool'], versions: ['v1.2'] };
const here = { 'task-types': ['cwl-workflow'], workflows: { cwl: CWL } };

/** A workflow of two steps, whose second one needs much. */
function workflow(version = 'v1.2'): object {
  const tool = { class: 'CommandLineTool', baseCommand: 'true', inputs: [], outputs: [] };
  const needs = { class: 'ResourceRequirement', coresMin: 4, ramMin: 8000, outdirMin: 50_000 };
  return {
    cwlVersion: version,
    class: 'Workflow',
    inputs: [],
    outputs: [],
    hints: [{ class: 'ResourceRequirement', coresMin: 2 }],
    steps: {
      small: { run: tool, in: [], out: [] },
      large: { run: { ...tool, requirements: [needs] }, in: [], out: [] },
    },
  };
}

function askOf(
  spec: object,
  more: Partial<Ask> = {},
  wanted = 'cwl-workflow',
  texts: ReadonlyMap<string, string> = new Map(),
): Ask {
  const type = builtInTypes.all.find(({ name }) => name === wanted);
  const find = (url: string) => {
    const text = texts.get(url);
    return text === undefined ? undefined : ({ kind: 'text', text } as const);
  };
  const parsed = type?.parse(spec, { allowHosts: [], fileRoots: [] }, { find });
  if (parsed?.ok !== true) throw new Error(JSON.stringify(parsed));
  const ask: Ask = { ...askFor({}), task: parsed.task, taskType: type?.uri ?? '', ...more };
  const understood = withLeastAmounts({ ok: true, ask });
  if (!understood.ok) throw new Error('it was understood');
  return understood.ask;
}

/** The amounts of an ask that names some of them. */
function naming(cores: { min?: number; max?: number }): Partial<Ask> {
  const [part] = askFor({}).parts;
  const none = { min: undefined, max: undefined };
  const bounds = { ...none, ...askFor({ cores: cores.min ?? 1, ...maxOf(cores.max) }).cores };
  const own = cores.min === undefined && cores.max === undefined ? none : bounds;
  return { parts: [{ ...part, cores: own, memory: none }], cores: own, memory: none };
}

function maxOf(max: number | undefined) {
  return max === undefined ? {} : { maxCores: max };
}

describe('a workflow', () => {
  test('goes nowhere without an interpreter; the NO names the destinations that have one', () => {
    const site = siteOf({ plain: {}, cluster: here });
    const ask = askOf({ workflow: workflow() }, { cores: { min: undefined, max: undefined } });
    const plain = refusals(decide({ ...ask, ...naming({}) }, siteOf({ plain: {} })));
    expect(plain).toMatchObject([
      {
        code: 'interpreter-missing',
        place: { what: 'task-type' },
        asked: { value: 'cwl' },
        limit: { value: 'none' },
        detail: 'No destination of this site has one of cwl.',
      },
    ]);
    const version = askOf({ workflow: workflow('v1.3') }, naming({}));
    expect(refusals(decide(version, site))).toMatchObject([
      { destination: 'plain', detail: 'These have one of cwl: cluster.' },
      {
        code: 'interpreter-version',
        destination: 'cluster',
        asked: { value: 'v1.3' },
        limit: { value: 'v1.2' },
      },
    ]);
  });

  test('gets at least what its largest step needs, scratch space included', () => {
    const ask = askOf({ workflow: workflow() }, naming({}));
    const plan = decide(ask, siteOf({ cluster: here }));
    expect(plan).toMatchObject({
      result: 'YES',
      proposals: [{ promised: { cores: { min: 4000 }, memory: { min: 8000 }, scratch: 50_000 } }],
    });
  });

  test('is refused with less than that, and the NO names the step', () => {
    const ask = askOf({ workflow: workflow() }, naming({ min: 1, max: 2 }));
    expect(refusals(decide(ask, siteOf({ cluster: here })))).toMatchObject([
      {
        code: 'below-workflow-minimum',
        place: { what: 'cores', bound: 'min', part: 0 },
        asked: { value: 1000 },
        limit: { value: 4000 },
        detail: 'The step large needs it.',
      },
      { code: 'below-workflow-minimum', place: { what: 'cores', bound: 'max' } },
    ]);
  });

  test('is refused with less scratch space than a step needs; the NO says the size of a YES', () => {
    const site = siteOf({ cluster: here });
    const asking = (...storage: readonly AskStorage[]) =>
      askOf({ workflow: workflow() }, { ...naming({}), storage, namesScratch: true });
    const little = asking(volume('ephemeral', 1000), volume('ephemeral', 9000));
    const [refusal, ...more] = refusals(decide(little, site));
    expect(more).toEqual([]);
    expect(refusal).toMatchObject({
      code: 'below-workflow-minimum',
      place: { what: 'size', item: 1 },
      resource: 'scratch',
      asked: { value: 9000 },
      limit: { value: 49_000 },
      detail: 'The step large needs it.',
    });
    const changes = refusal && remediesFor({ ask: little, site, now: 0 }, refusal);
    expect(changes).toEqual([[{ what: 'size', of: 1, to: 49_000 }]]);
    const enough = asking(volume('ephemeral', 1000), volume('ephemeral', 49_000));
    expect(decide(enough, site)).toMatchObject({ result: 'YES' });
    // What is kept afterwards has the size of what is kept.
    const kept = asking(volume('persistent', 9000));
    expect(belowLeastAmounts(kept, needsWithin(kept.task))).toEqual([]);
  });

  const NAME = 'ResourceRequirement';
  const fields = 'coresMin: 4\nramMin: 8000\noutdirMin: 50000\n';
  const one = `class: ResourceRequirement\n${fields}`;
  test.each([
    ['an item of requirements', 'requirements: [{ $import: r/a.yml }]', { a: one }],
    ['an item of hints', 'hints: [{ class: Other }, { $import: r/a.yml }]', { a: one }],
    [
      'requirements',
      'requirements: { $import: r/a.yml }',
      { a: `ResourceRequirement: {$import: b.yml}`, b: fields },
    ],
    ['a list', 'requirements: { $import: r/a.yml }', { a: '[{ $import: b.yml }]', b: one }],
    [
      'a list of which an item leads back',
      'requirements: { $import: r/a.yml }',
      { a: '[{ $import: a.yml }, { $import: b.yml }]', b: one },
    ],
    [
      'a part of a requirement',
      `requirements: [{ class: ${NAME}, $mixin: r/a.yml }]`,
      { a: fields },
    ],
    ['a part of a hint by its class', `hints: { ${NAME}: { $mixin: r/a.yml } }`, { a: fields }],
    ['all of a requirement', 'requirements: [{ $mixin: r/a.yml }]', { a: one }],
    [
      'the mapping of requirements',
      'requirements: { $mixin: r/a.yml }',
      { a: `${NAME}: { $import: b.yml }`, b: fields },
    ],
    ['a part of the tool', '$mixin: r/a.yml', { a: `requirements: [{ $import: b.yml }]`, b: one }],
    [
      'what is mixed in there, and not what the tool says itself',
      '$mixin: r/a.yml\nhints: []',
      {
        a: `$mixin: b.yml\nhints: [{ class: ${NAME}, coresMin: 64 }]`,
        b: `requirements: [{ $import: c.yml }]`,
        c: one,
      },
    ],
    [
      'what leads back to itself at last',
      `requirements: [{ $mixin: r/b.yml }, { $import: r/a.yml }]`,
      { a: one, b: '$mixin: b.yml' },
    ],
  ])('gets at least what it imports in place of %s', (_what, needs, imported) => {
    const tool = 'cwlVersion: v1.2\nclass: CommandLineTool\ninputs: []\noutputs: []\n';
    const url = 'https://example.org/a/t.cwl';
    const others = Object.entries(imported).map(
      ([name, text]) => [`https://example.org/a/r/${name}.yml`, text] as const,
    );
    const texts = new Map([[url, `${tool}${needs}\n`], ...others]);
    const ask = askOf({ workflow: url }, naming({}), 'cwl-workflow', texts);
    expect(decide(ask, siteOf({ cluster: here }))).toMatchObject({
      result: 'YES',
      proposals: [{ promised: { cores: { min: 4000 }, memory: { min: 8000 }, scratch: 50_000 } }],
    });
  });

  test('gets volumes with room for its largest step where the client says no size', () => {
    const storage = [volume('ephemeral', 1000)];
    const ask = askOf({ workflow: workflow() }, { ...naming({}), storage });
    expect(ask.storage).toMatchObject([{ kind: 'ephemeral', size: 50_000 }]);
    // The offer prints that size.
    const again = { ...ask, namesScratch: true };
    expect(decide(again, siteOf({ cluster: here }))).toMatchObject({ result: 'YES' });
  });
});

describe('a workflow of Snakemake', () => {
  const snakemake = { command: ['snakemake'], versions: [] };
  const rule = 'rule part:\n    threads: 4\n    resources: mem_mb=300\n    shell: "true"\n';
  const ask = (amounts: Parameters<typeof naming>[0]): Ask =>
    askOf({ workflow: rule }, naming(amounts), 'snakemake-workflow');
  const inside = siteOf({
    here: { 'task-types': ['snakemake-workflow'], workflows: { snakemake } },
  });
  const away = siteOf({
    cluster: {
      runner: 'slurm',
      slurm: { partition: 'main', user: 'vo' },
      'task-types': ['snakemake-workflow'],
      workflows: { snakemake: { ...snakemake, steps: 'engine' } },
    },
  });
  // 300 MB are 287 MiB.
  test.each([
    ['128 MiB', inside, {}, 4000, 287 + 128],
    ['a core and 512 MiB where the engine takes its steps', away, {}, 5000, 287 + 512],
    ['the same where the ask has enough for the step alone', away, { min: 4 }, 5000, 287 + 512],
  ])('gets its largest step and %s beside it, once', (_what, site, amounts, cores, memory) => {
    expect(decide(ask(amounts), site)).toMatchObject({
      result: 'YES',
      proposals: [{ promised: { cores: { min: cores }, memory: { min: memory } } }],
    });
  });

  test('is refused where the maximum or the rules leave nothing for the interpreter', () => {
    expect(refusals(decide(ask({ min: 4, max: 4 }), away))).toMatchObject(
      ['min', 'max'].map((bound) => ({
        code: 'below-workflow-minimum',
        place: { what: 'cores', bound },
        limit: { value: 5000 },
        detail: 'The interpreter needs a part of its own beside the step part.',
      })),
    );
    expect(refusals(decide(ask({}), away, {}, { max_cores: 4 }))).toMatchObject([
      { code: 'below-requested-minimum', asked: { value: 5000 }, limit: { value: 4000 } },
    ]);
  });
});

function volume(kind: 'ephemeral' | 'persistent', mib: number): AskStorage {
  const [name, size] = [`${kind}-${mib}`, mebibytes(mib)];
  if (kind === 'ephemeral') return { kind, name, size };
  const object = parseObjectId(randomUUID());
  if (object === undefined) throw new Error('it is an id');
  return { kind, name, size, lifetime: seconds(3600), object, item: 0 };
}
