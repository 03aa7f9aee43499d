import { describe, expect, test } from '@jest/globals';
import { compile, Fuel, PyDict, PyError, PyList } from '../../src/python/index.ts';
import type { Value } from '../../src/python/index.ts';
import { Entity } from '../../src/vortex/entity.ts';
import { galaxyOf } from '../../src/vortex/galaxy.ts';
import { helpersOf } from '../../src/vortex/helpers.ts';
import type { InputDescription, JobDescription, Json } from '../../src/vortex/index.ts';
import { json } from '../../src/vortex/job-parse.ts';
import { either, finite, list, nullable, object, table, text } from '../../src/vortex/shape.ts';
import { TagSet } from '../../src/vortex/tags.ts';
import { fromJson, toJson } from '../../src/vortex/values.ts';
import { jobOf } from './job.ts';
import { isRecorded, recorded } from './recorded-cases.ts';

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

  test('a dataset that is given twice counts once, an unknown size as nothing', () => {
    expect(run('helpers.input_size(job)', job)).toBe(3);
  });

  test('what is compressed is counted as it will be, and parameters select by name and number', () => {
    expect(run("round(helpers.get_input_size(job, 'reads'), 6)", job)).toBe(7.8);
    expect(run("helpers.get_input_size(job, 'reads', estimate_uncompressed_size=False)", job)).toBe(3);
    expect(run("[d.name for d in helpers.get_input_datasets(job, 'reads')]", job)).toEqual(['reads1', 'reads2']);
    expect(run("helpers.get_input_dataset(job, 'none')", job)).toBeNull();
  });
});

describe('draws', () => {
  const destinations = (...weights: readonly (number | null)[]): PyList =>
    new PyList(
      weights.map((weight, index) => {
        const entity = new Entity('destination', `d${index}`);
        if (weight !== null) entity.params = new PyDict([['weight', weight]]);
        return entity;
      }),
    );
  const ids = '[d.id for d in helpers.weighted_random_sampling(candidates)]';

  test('without weights it is a permutation', () => {
    expect(run(ids, jobOf('x'), { candidates: destinations(null, 1, null) })).toEqual(['d0', 'd1', 'd2']);
  });

  test('with weights some repeat and some are left out', () => {
    expect(run(ids, jobOf('x'), { candidates: destinations(1, 5, -3) }, () => 0.5)).toEqual(['d1', 'd1', 'd1']);
    expect(run(ids, jobOf('x'), { candidates: destinations(1, 5, -3) })).toEqual(['d0', 'd0', 'd0']);
  });

  test('nothing cannot be chosen from', () => {
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
      { toolId: 'repo/tool/1', state: 'running', userId: 1, userEmail: 'a@b.c', destination: 'big' },
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

const input = object({ name: text, dataset_id: nullable(finite), size_bytes: nullable(finite), ext: nullable(text) });
const helperCase = object(
  { id: text, fn: text, args: list(json), expect: json },
  { inputs: list(input), kwargs: table(json), param_values: table(json), tags: json },
);
const lists = object({}, { require: list(text), prefer: list(text), accept: list(text), reject: list(text) });

describe('recorded answers of TPV', () => {
  const cases = (isRecorded ? recorded('cases.jsonl', 'helper') : []).map((value) => helperCase(value, 'case'));
  const known = cases.filter(({ fn }) => fn !== 'extract_resource_requirements_from_tool');

  test(`helpers agree in ${known.length} cases`, () => {
    expect(
      known
        .filter((one) => JSON.stringify(answer(one)) !== JSON.stringify(one.expect))
        .map((one) => [one, answer(one)]),
    ).toEqual([]);
    expect(known.length).toBeGreaterThan(isRecorded ? 80 : -1);
  });
});

function answer({ fn, args, inputs, kwargs, param_values: parameters, tags }: ReturnType<typeof helperCase>): Json {
  const values = args.map(fromJson);
  const names = Object.fromEntries(values.map((value, index) => [`a${index}`, value]));
  if (fn === 'tool_version_*') return versions(values);
  const described = (inputs ?? []).filter((one) => one.dataset_id !== null);
  const job = jobOf('x', {
    inputs: described.map((one) => ({
      name: one.name,
      dataset: one.dataset_id ?? 0,
      sizeBytes: one.size_bytes,
      objectStoreId: 'os1',
      ...(one.ext === null ? {} : { extension: one.ext }),
    })),
    parameters: parameters ?? {},
  });
  const given = values.map((_, index) => `, a${index}`).join('');
  const named = Object.entries(kwargs ?? {})
    .map(([name, value]) => `, ${name}=${value === false ? 'False' : value === true ? 'True' : JSON.stringify(value)}`)
    .join('');
  if (fn === 'tag_values_match') {
    const entity = new Entity('tool', 'x');
    entity.tags = new TagSet(lists(tags, 'tags'));
    return run(`helpers.tag_values_match(entity${given})`, job, { ...names, entity });
  }
  if (fn === 'job_args_match') return run(`helpers.job_args_match(job, app${given})`, job, names);
  if (fn === 'get_dataset_attributes')
    return run('{str(k): v for k, v in helpers.get_dataset_attributes(job.input_datasets).items()}', job);
  const call = `helpers.${fn}(job${given}${named})`;
  return run(fn === 'get_input_datasets' ? `['d' + str(d.dataset.id) for d in ${call}]` : call, job, names);
}

function versions([own, other]: readonly Value[]): Json {
  const job = jobOf({ id: 'x', version: either(text, nullable(text))(own, 'version'), requirements: [] });
  const ask = (name: string): Json => run(`helpers.tool_version_${name}(tool, other)`, job, { other: other ?? null });
  return { eq: ask('eq'), lte: ask('lte'), lt: ask('lt'), gte: ask('gte'), gt: ask('gt') };
}
