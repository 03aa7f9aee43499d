import { describe, expect, test } from '@jest/globals';
import { compile, Fuel, PyDict, PyError, PyList } from '../../src/python/index.ts';
import type { Value } from '../../src/python/index.ts';
import { Entity } from '../../src/vortex/entity/entity.ts';
import { galaxyOf } from '../../src/vortex/python-view/galaxy.ts';
import { helpersOf } from '../../src/vortex/python-view/helpers.ts';
import type { InputDescription, JobDescription, Json } from '../../src/vortex/index.ts';
import { toJson } from '../../src/vortex/values.ts';
import { jobOf } from './job.ts';

const GB = 1024 ** 3;

/** The value of Python that uses `helpers`, `job`, `tool` and whatever else is given. */
function run(
  code: string,
  job: JobDescription,
  names: { readonly [name: string]: Value } = {},
  random = (): number => 0,
): Json {
  const { tool, job: galaxyJob, app } = galaxyOf(job);
  const scope = new Map<string, Value>([
    ['helpers', helpersOf(job)],
    ['job', galaxyJob],
    ['tool', tool],
    ['app', app],
    ...Object.entries(names),
  ]);
  try {
    return toJson(compile(code, 'code').run(scope, { fuel: new Fuel(10_000), random }));
  } catch (error) {
    if (error instanceof PyError) return { error: error.className, message: error.message };
    throw error;
  }
}

describe('sizes of inputs', () => {
  const inputs: readonly InputDescription[] = [
    { name: 'reads1', sizeBytes: 2 * GB, extension: 'fastq.gz', dataset: 1 },
    { name: 'reads2', sizeBytes: GB, extension: 'fastq', dataset: 2 },
    { name: 'again', sizeBytes: GB, extension: 'fastq', dataset: 2 },
    { name: 'unknown', sizeBytes: null },
  ];
  const job = jobOf('x', { inputs });

  test('a dataset that is given twice counts once, an unknown size as zero', () => {
    expect(run('helpers.input_size(job)', job)).toBe(3);
  });

  test('a compressed dataset counts with its later size, and parameters select by name and number', () => {
    expect(run("round(helpers.get_input_size(job, 'reads'), 6)", job)).toBe(7.8);
    expect(run("helpers.get_input_size(job, 'reads', estimate_uncompressed_size=False)", job)).toBe(
      3,
    );
    expect(run("[d.name for d in helpers.get_input_datasets(job, 'reads')]", job)).toEqual([
      'reads1',
      'reads2',
    ]);
    expect(run("helpers.get_input_dataset(job, 'none')", job)).toBeNull();
  });

  test('can be read from the stored file of each dataset', () => {
    const files = '[i.dataset.dataset for i in job.input_datasets]';
    expect(run(`[f.file_size for f in ${files}]`, job)).toEqual([2 * GB, GB, GB, 0]);
    expect(run(`[f.get_size() for f in ${files}]`, job)).toEqual([2 * GB, GB, GB, 0]);
    expect(run(`sum(map(helpers.get_dataset_size, ${files}))`, job)).toBe(4 * GB);
  });

  test('of no list at all are zero', () => {
    expect(run('helpers.calculate_dataset_total(None)', job)).toBe(0);
    expect(run('helpers.get_dataset_attributes(None)', job)).toEqual({});
  });
});

describe('weighted choices', () => {
  const destinations = (...weights: readonly (number | null)[]): PyList =>
    new PyList(
      weights.map((weight, index) => {
        const entity = new Entity('destination', `d${index}`);
        if (weight !== null) entity.params = new PyDict([['weight', weight]]);
        return entity;
      }),
    );
  const ids = '[d.id for d in helpers.weighted_random_sampling(candidates)]';

  test('without weights are a permutation', () => {
    expect(run(ids, jobOf('x'), { candidates: destinations(null, 1, null) })).toEqual([
      'd0',
      'd1',
      'd2',
    ]);
  });

  test('with weights repeat some and leave out others', () => {
    expect(run(ids, jobOf('x'), { candidates: destinations(1, 5, -3) }, () => 0.5)).toEqual([
      'd1',
      'd1',
      'd1',
    ]);
    expect(run(ids, jobOf('x'), { candidates: destinations(1, 5, -3) })).toEqual([
      'd0',
      'd0',
      'd0',
    ]);
  });

  test('from nothing are an error', () => {
    expect(run('helpers.weighted_choice([])', jobOf('x'))).toEqual({
      error: 'ValueError',
      message: 'weighted_choice requires a non-empty list of items',
    });
  });
});

describe('jobs that run already', () => {
  const job = jobOf('repo/tool/2', {
    user: { email: 'a@b.c', id: 1 },
    otherJobs: [
      {
        toolId: 'repo/tool/1',
        state: 'running',
        userId: 1,
        userEmail: 'a@b.c',
        destination: 'big',
      },
      { toolId: 'repo/tool/2', state: 'queued', userId: 2 },
      { toolId: 'repo/other/2', state: 'running', userId: 1 },
    ],
  });

  test('are counted over all versions of the tool, of one user if given', () => {
    expect(run('helpers.concurrent_job_count_for_tool(app, tool)', job)).toBe(2);
    const user = galaxyOf(job).user ?? null;
    expect(run('helpers.concurrent_job_count_for_tool(app, tool, user)', job, { user })).toBe(1);
  });
});

describe('the requirements of a tool', () => {
  const job = jobOf('x', {
    tool: {
      id: 'x',
      requirements: [
        { type: 'cores_min', value: 2 },
        { type: 'ram_min', value: 7_168 },
        { type: 'cores_min', value: 3 },
      ],
    },
  });

  test('are read by the names that entities have for them, and are None where the tool has none', () => {
    const read = (name: string): Json =>
      run(`helpers.get_tool_resource_field(tool, '${name}')`, job);
    expect(['cores', 'mem', 'max_cores', 'cores_min'].map(read)).toEqual([3, 7, null, null]);
  });
});
