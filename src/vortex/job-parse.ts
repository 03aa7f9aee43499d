import type { JobDescription, Json } from './job.ts';
import { bool, finite, list, name, nullable, object, oneOf, table, stringShape } from './shape.ts';
import type { Shape } from './shape.ts';

/** Any JSON value. */
export const jsonShape: Shape<Json> = (value, path) => {
  if (
    value === null ||
    typeof value === 'boolean' ||
    typeof value === 'string' ||
    typeof value === 'number'
  )
    return value;
  return Array.isArray(value) ? list(jsonShape)(value, path) : table(jsonShape)(value, path);
};

/** A number or a text: most are texts, and a failed try of the other costs more than all else. */
const id: Shape<string | number> = (value, path) =>
  typeof value === 'number' ? finite(value, path) : name(value, path);

const requirement = object({
  type: oneOf(
    'cores_min',
    'cores_max',
    'ram_min',
    'ram_max',
    'cuda_device_count_min',
    'cuda_device_count_max',
    'mem_min',
    'mem_max',
  ),
  value: finite,
});

const tool = object(
  { id: name, requirements: list(requirement) },
  {
    version: nullable(name),
    type: name,
    uuid: nullable(name),
    requiresGalaxyPythonEnvironment: bool,
    isDatatypeConverter: bool,
  },
);

const user = object(
  { email: name },
  { username: nullable(name), id: nullable(id), extraPreferences: table(jsonShape) },
);

const input = object(
  { name, sizeBytes: nullable(finite) },
  { extension: name, dataset: id, objectStoreId: nullable(name) },
);

const otherJob = object(
  { toolId: name, state: oneOf('queued', 'running') },
  {
    destination: nullable(name),
    userId: nullable(id),
    userEmail: nullable(name),
    count: finite,
    cores: finite,
    mem: finite,
  },
);

const costs = object({
  defaults: object({ cores: finite, mem: finite }),
  rates: list(
    object({
      destinations: list(name),
      rates: list(
        object({ type: stringShape, core: finite, mem: finite, gpu: finite, job: finite }),
      ),
    }),
  ),
});

const job: Shape<JobDescription> = object(
  {
    tool,
    user: nullable(user),
    roles: list(object({ name }, { deleted: bool })),
    inputs: list(input),
  },
  {
    id: nullable(id),
    state: stringShape,
    parameters: table(jsonShape),
    historyTags: list(object({ name, value: nullable(stringShape) })),
    destinationParameters: table(jsonShape),
    adminUsers: list(name),
    otherJobs: list(otherJob),
    costs,
  },
);

/** Reads the description of a job from parsed JSON, without its unknown keys. Throws ShapeError. */
export function parseJob(value: unknown): JobDescription {
  return job(value, 'job');
}
