import {
  add,
  asNumber,
  float,
  items,
  PyDict,
  PyList,
  raise,
  str,
  truthy,
  typeName,
} from '../../../python/index.ts';
import type { Value } from '../../../python/index.ts';
import { associationName, datasetBehind } from '../datasets.ts';
import { jobBehind } from '../galaxy.ts';
import type { JobDescription } from '../../job.ts';
import { functionsOf } from '../members.ts';
import type { Members } from '../members.ts';

const GB = 1024 ** 3;

/**
 * `input_size`: GB of the job's distinct inputs. Of several associations of a dataset the last
 * counts.
 */
export function inputSize(job: JobDescription): Value {
  const sizes = new Map(
    job.inputs.map((input, index) => [input.dataset ?? `input ${index}`, input.sizeBytes ?? 0]),
  );
  return float([...sizes.values()].reduce((sum, size) => sum + size, 0) / GB);
}

/** The helpers about input datasets. */
export const inputHelpers: Members = [
  ['GIGABYTES', float(GB)],
  ...functionsOf({
    'get_dataset_size(dataset)': (dataset = null) => float(sizeOf(dataset)),
    'sum_total(prev, current)': (before = null, current = null) => add(before, current),
    'calculate_dataset_total(datasets)': (datasets = null) => float(totalOf(someOf(datasets))),
    'input_size(job)': (job = null) => float(totalOf(inputsOf(job, null)) / GB),
    'get_input_datasets(job, param_name=)': (job = null, name = null) =>
      new PyList(distinct(job, name)),
    'get_input_dataset(job, param_name)': (job = null, name = null) =>
      distinct(job, name)[0] ?? null,
    'get_input_size(job, param_name=, estimate_uncompressed_size=, compression_factor=)': (
      job = null,
      name = null,
      estimate = true,
      factor = 3.4,
    ) => float(totalSize(distinct(job, name), truthy(estimate) ? (asNumber(factor) ?? 1) : 1)),
    'get_dataset_attributes(datasets)': (datasets = null) => attributesOf(someOf(datasets)),
  }),
];

/** The items; none of an empty value, None among them. */
function someOf(datasets: Value): readonly Value[] {
  return truthy(datasets) ? items(datasets) : [];
}

function totalOf(associations: readonly Value[]): number {
  const sizes = new Map<Value, number>();
  for (const association of associations) {
    const dataset = datasetBehind(association);
    if (dataset !== undefined) sizes.set(dataset.key, dataset.input.sizeBytes ?? 0);
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

/** The distinct datasets, in the order of their first appearance. */
function distinct(job: Value, name: Value): Value[] {
  const seen = new Map<Value, Value>();
  for (const input of inputsOf(job, name)) {
    const dataset = datasetBehind(input);
    if (dataset !== undefined && !seen.has(dataset.key))
      seen.set(dataset.key, attributeDataset(input));
  }
  return [...seen.values()];
}

/** The inputs of a job; with a name, those with that name, or with a number behind it. */
function inputsOf(value: Value, name: Value): readonly Value[] {
  const inputs = jobBehind(value)?.inputs();
  const all =
    inputs instanceof PyList
      ? inputs.items
      : raise('AttributeError', `'${typeName(value)}' object has no attribute 'input_datasets'`);
  if (name === null) return all;
  const wanted = str(name);
  return all.filter((input) => {
    const given = associationName(input) ?? '';
    return given.startsWith(wanted) && /^\d*$/.test(given.slice(wanted.length));
  });
}

function attributeDataset(association: Value): Value {
  return association !== null && typeof association === 'object'
    ? (association.attribute('dataset') ?? null)
    : null;
}

/** GB of datasets; compressed ones count `factor` times. */
function totalSize(datasets: readonly Value[], factor: number): number {
  const bytes = datasets.map((value) => {
    const isCompressed = /\.(?:gz|bz2)$/.test(datasetBehind(value)?.input.extension ?? '');
    return sizeOf(value) * (isCompressed ? factor : 1);
  });
  return bytes.reduce((sum, size) => sum + size, 0) / GB;
}

/** Bytes of a dataset; any other value is Python's AttributeError. */
function sizeOf(value: Value): number {
  const dataset = datasetBehind(value);
  if (dataset === undefined)
    return raise('AttributeError', `'${typeName(value)}' object has no attribute 'get_size'`);
  return dataset.input.sizeBytes ?? 0;
}

function attributesOf(associations: readonly Value[]): PyDict {
  const found = associations.flatMap((value) => {
    const dataset = datasetBehind(value);
    return dataset === undefined ? [] : [dataset];
  });
  return new PyDict(
    found.map(({ key, input }) => [
      key,
      new PyDict([
        ['object_store_id', input.objectStoreId ?? null],
        ['size', float(input.sizeBytes ?? 0)],
      ]),
    ]),
  );
}
