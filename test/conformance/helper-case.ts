import {
  compile,
  Fuel,
  nativeFunction,
  PyDict,
  PyError,
  PyList,
  PyModule,
  repr,
} from '../../src/python/index.ts';
import type { Value } from '../../src/python/index.ts';
import { Entity } from '../../src/vortex/entity/entity.ts';
import { galaxyOf } from '../../src/vortex/python-view/galaxy.ts';
import { helpersOf } from '../../src/vortex/python-view/helpers.ts';
import type { JobDescription, Json } from '../../src/vortex/index.ts';
import { jsonShape } from '../../src/vortex/job-parse.ts';
import { providedBy } from '../../src/vortex/decide/lookup.ts';
import {
  either,
  finite,
  list,
  nullable,
  object,
  table,
  stringShape,
} from '../../src/vortex/shape.ts';
import { TagSet } from '../../src/vortex/entity/tags.ts';
import { fromJson, toJson } from '../../src/vortex/values.ts';
import { valueDifference } from './difference.ts';
import type { RecordedCase } from './folder.ts';
import { requirementsOf } from './map-case.ts';

const input = object({
  name: stringShape,
  dataset_id: nullable(finite),
  size_bytes: nullable(finite),
  ext: nullable(stringShape),
});
const helperCase = object(
  { id: stringShape, fn: stringShape, args: list(jsonShape), expect: jsonShape },
  {
    inputs: list(input),
    kwargs: table(jsonShape),
    param_values: table(jsonShape),
    tags: jsonShape,
  },
);
type HelperCase = ReturnType<typeof helperCase>;
const lists = object(
  {},
  {
    require: list(stringShape),
    prefer: list(stringShape),
    accept: list(stringShape),
    reject: list(stringShape),
  },
);

/** Compares one call of a helper. */
export function judgeHelper({ fields }: RecordedCase): string | undefined {
  const one = helperCase(fields, 'case');
  return valueDifference(one.fn, answer(one), one.expect);
}

const pair = list(either(finite, stringShape));

const drawCase = object({ fn: stringShape, args: list(jsonShape), expect: stringShape });

/** Compares a helper's call of Python's `random`: `random.choices(items,weights=[3,1],k=1)`. */
export function judgeDraw({ fields }: RecordedCase): string | undefined {
  const { fn, args, expect } = drawCase(fields, 'case');
  const of = fn === 'weighted_choice' ? 'items' : 'dests';
  const calls: string[] = [];
  const told = (call: string, from: Value): Value => {
    calls.push(call);
    return from;
  };
  const random = new PyModule('random', [
    [
      'sample',
      nativeFunction('sample(population, k)', (from = null, k = null) =>
        told(`random.sample(${of},k=${repr(k)})`, from),
      ),
    ],
    [
      'choices',
      nativeFunction('choices(population, weights=, *, k=)', (from = null, weights = null, k = 1) =>
        told(
          `random.choices(${of},weights=${repr(weights).replaceAll(' ', '')},k=${repr(k)})`,
          from,
        ),
      ),
    ],
  ]);
  const items = new PyList(
    list(jsonShape)(args[0] ?? [], 'items').map((item) =>
      of === 'items' ? fromJson(item) : destination(item),
    ),
  );
  const job: JobDescription = {
    tool: { id: 'x', requirements: [] },
    user: null,
    roles: [],
    inputs: [],
  };
  const result = run(`helpers.${fn}(given)`, job, { given: items }, random);
  const failed = object({ error: stringShape, message: stringShape });
  const made =
    calls[0] ??
    (Array.isArray(result)
      ? JSON.stringify(result)
      : `${failed(result, 'result').error}: ${failed(result, 'result').message}`);
  // The recorder adds a comment behind the call.
  return valueDifference(fn, made, expect.replace(/\s+#.*$/, ''));
}

function answer(one: HelperCase): Json {
  const { fn, args, kwargs } = one;
  const values = args.map(fromJson);
  const names = Object.fromEntries(values.map((value, index) => [`a${index}`, value]));
  const given = values.map((_, index) => `, a${index}`).join('');
  const job = jobOf(one);
  switch (fn) {
    case 'tool_version_*':
      return versions(values);
    case 'extract_resource_requirements_from_tool':
      return requirements(args);
    case 'tag_values_match': {
      const entity = new Entity('tool', 'x');
      entity.tags = new TagSet(lists(one.tags, 'tags'));
      return run(`helpers.tag_values_match(entity${given})`, job, { ...names, entity });
    }
    case 'job_args_match':
      return run(`helpers.job_args_match(job, app${given})`, job, names);
    case 'get_dataset_attributes':
      return run(
        '{str(k): v for k, v in helpers.get_dataset_attributes(job.input_datasets).items()}',
        job,
      );
    default: {
      const named = Object.entries(kwargs ?? {}).map(
        ([name, value]) => `, ${name}=${repr(fromJson(value))}`,
      );
      const call = `helpers.${fn}(job${given}${named.join('')})`;
      // The recorder writes datasets as `d` and their id.
      return run(
        fn === 'get_input_datasets' ? `['d' + str(d.dataset.id) for d in ${call}]` : call,
        job,
        names,
      );
    }
  }
}

function jobOf({ inputs, param_values: parameters }: HelperCase): JobDescription {
  return {
    tool: { id: 'x', requirements: [] },
    user: null,
    roles: [],
    // An association without a dataset is not an input in Galaxy.
    inputs: (inputs ?? []).flatMap(({ name, dataset_id: dataset, size_bytes: sizeBytes, ext }) =>
      dataset === null
        ? []
        : [
            {
              name,
              dataset,
              sizeBytes,
              objectStoreId: 'os1',
              ...(ext === null ? {} : { extension: ext }),
            },
          ],
    ),
    parameters: parameters ?? {},
  };
}

function versions([own, other]: readonly Value[]): Json {
  const version = nullable(stringShape)(own, 'version');
  const job: JobDescription = {
    tool: { id: 'x', version, requirements: [] },
    user: null,
    roles: [],
    inputs: [],
  };
  const ask = (name: string): Json =>
    run(`helpers.tool_version_${name}(tool, other)`, job, { other: other ?? null });
  return { eq: ask('eq'), lte: ask('lte'), lt: ask('lt'), gte: ask('gte'), gt: ask('gt') };
}

/** The value of a Python expression with `helpers`, `job`, `tool` and other given names. */
function run(
  code: string,
  job: JobDescription,
  names: { readonly [name: string]: Value } = {},
  random?: Value,
): Json {
  const { tool, job: galaxyJob, app } = galaxyOf(job);
  const own: [string, Value][] = [
    ['helpers', helpersOf(job, random)],
    ['job', galaxyJob],
    ['tool', tool],
    ['app', app],
  ];
  try {
    const scope = new Map<string, Value>([...own, ...Object.entries(names)]);
    return toJson(compile(code, 'code').run(scope, { fuel: new Fuel(10_000), random: () => 0 }));
  } catch (error) {
    if (error instanceof PyError) return { error: error.className, message: error.message };
    throw error;
  }
}

/** The requirements of a tool wrapper, from pairs of value and type. */
function requirements([given]: readonly Json[]): Json {
  const pairs = list(pair)(given ?? [], 'requirements');
  const described = requirementsOf(
    pairs.map(([value = '', type = '']) => ({ type: String(type), value })),
    undefined,
  );
  const { amounts } = providedBy({ id: 'x', requirements: described });
  return Object.fromEntries(
    Object.entries(amounts).flatMap(([name, value]) =>
      value === null ? [] : [[name, toJson(value)]],
    ),
  );
}

function destination(params: Json): Entity {
  const entity = new Entity('destination', 'd');
  const value = fromJson(params);
  entity.params = value instanceof PyDict ? value : null;
  return entity;
}
