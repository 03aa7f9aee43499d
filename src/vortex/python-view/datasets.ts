import { defineClass } from '../../python/index.ts';
import type { PyObject, Value } from '../../python/index.ts';
import type { InputDescription } from '../job.ts';

type Dataset = { readonly input: InputDescription; readonly key: Value };
type Association = { readonly name: string; readonly dataset: Value };

/** The stored file behind a dataset: inputs with the same data share it. */
const files = defineClass<Dataset>({
  name: 'Dataset',
  module: 'galaxy.model',
  attributes: {
    id: { get: ({ key }) => key },
    object_store_id: { get: ({ input }) => input.objectStoreId ?? null },
    file_size: { get: sizeOf },
    total_size: { get: sizeOf },
  },
  methods: { 'get_size(nice_size=, calculate_size=)': sizeOf },
});

const datasets = defineClass<Dataset>({
  name: 'HistoryDatasetAssociation',
  module: 'galaxy.model',
  attributes: {
    id: { get: ({ key }) => key },
    name: { get: ({ input }) => input.name },
    ext: { get: ({ input }) => input.extension ?? 'data' },
    extension: { get: ({ input }) => input.extension ?? 'data' },
    dataset: { get: (dataset) => files.wrap(dataset) },
  },
  methods: { 'get_size(nice_size=, calculate_size=)': sizeOf },
});

const associations = defineClass<Association>({
  name: 'JobToInputDatasetAssociation',
  module: 'galaxy.model',
  attributes: { name: { get: ({ name }) => name }, dataset: { get: ({ dataset }) => dataset } },
});

/** The classes of the inputs of a job. */
export const datasetClasses = [files.cls, datasets.cls, associations.cls];

/** An input of a job, as its rules see it; one that names no dataset is a dataset of its own. */
export function associationOf(input: InputDescription, index: number): PyObject {
  const key = input.dataset ?? `input ${index}`;
  return associations.wrap({ name: input.name, dataset: datasets.wrap({ input, key }) });
}

/** The dataset behind a dataset object, its stored file, or its association with a job. */
export function datasetBehind(value: Value): Dataset | undefined {
  return (
    datasets.unwrap(value) ??
    files.unwrap(value) ??
    datasets.unwrap(associations.unwrap(value)?.dataset ?? null)
  );
}

export function associationName(value: Value): string | undefined {
  return associations.unwrap(value)?.name;
}

/** Bytes; an unknown size is zero. */
function sizeOf({ input }: Dataset): number {
  return input.sizeBytes ?? 0;
}
