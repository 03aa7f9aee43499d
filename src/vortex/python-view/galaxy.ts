import { defineClass, PyClass, PyDict, PyList, PyModule } from '../../python/index.ts';
import type { PyObject, Value } from '../../python/index.ts';
import type { JobDescription, RoleDescription, ToolDescription, UserDescription } from '../job.ts';
import { modelOf } from '../jobs/query.ts';
import { jobRows } from '../jobs/rows.ts';
import { fromJson } from '../values.ts';
import { associationOf, datasetClasses } from './datasets.ts';
import { JOB_FACTS, read } from './facts.ts';

/** A value that is computed once, when a rule first reads it. */
type Lazy = () => PyObject;

/** A tool that a user defines. */
const dynamicTools = defineClass<string>({
  name: 'DynamicTool',
  module: 'galaxy.model',
  attributes: { uuid: { get: (uuid) => uuid } },
});

const tools = defineClass<ToolDescription>({
  name: 'Tool',
  module: 'galaxy.tools',
  attributes: {
    id: noting(JOB_FACTS.toolId, (tool) => tool.id),
    old_id: noting(JOB_FACTS.toolId, (tool) => tool.id),
    name: noting(JOB_FACTS.toolId, (tool) => tool.id.split('/').at(-2) ?? tool.id),
    version: noting(JOB_FACTS.toolVersion, (tool) => tool.version ?? null),
    dynamic_tool: noting(JOB_FACTS.toolUuid, (tool) =>
      tool.uuid == null ? null : dynamicTools.wrap(tool.uuid),
    ),
    tool_type: noting(JOB_FACTS.toolType, (tool) => tool.type ?? 'default'),
    requires_galaxy_python_environment: noting(
      JOB_FACTS.toolNeeds,
      (tool) => tool.requiresGalaxyPythonEnvironment ?? false,
    ),
    is_datatype_converter: noting(JOB_FACTS.toolNeeds, (tool) => tool.isDatatypeConverter ?? false),
  },
});

const roles = defineClass<RoleDescription>({
  name: 'Role',
  module: 'galaxy.model',
  attributes: {
    name: { get: (role) => role.name },
    deleted: { get: (role) => role.deleted ?? false },
  },
});

type User = {
  readonly described: UserDescription;
  readonly roles: Lazy;
  readonly preferences: Lazy;
};

const users = defineClass<User>({
  name: 'User',
  module: 'galaxy.model',
  attributes: {
    id: noting(JOB_FACTS.userId, ({ described }) => described.id ?? null),
    email: noting(JOB_FACTS.email, ({ described }) => described.email),
    username: noting(JOB_FACTS.username, ({ described }) => described.username ?? null),
    extra_preferences: noting(JOB_FACTS.preferences, ({ preferences }) => preferences()),
  },
  methods: {
    'all_roles()': (user) => {
      read.facts |= JOB_FACTS.roles;
      return user.roles();
    },
  },
});

type HistoryTag = { readonly name: string; readonly value: string | null };

const historyTags = defineClass<HistoryTag>({
  name: 'HistoryTagAssociation',
  module: 'galaxy.model',
  attributes: {
    user_tname: { get: ({ name }) => name },
    user_value: { get: ({ value }) => value },
    value: { get: ({ value }) => value },
  },
});

const histories = defineClass<PyList>({
  name: 'History',
  module: 'galaxy.model',
  attributes: { tags: { get: (tags) => tags } },
});

const parameters = defineClass<{ readonly name: string; readonly value: Value }>({
  name: 'JobParameter',
  module: 'galaxy.model',
  attributes: { name: { get: ({ name }) => name }, value: { get: ({ value }) => value } },
});

/** A job as rules see it. Each part is made on first use and then stays the same object. */
type GalaxyJob = {
  readonly described: JobDescription;
  readonly inputs: Lazy;
  readonly history: Lazy;
  readonly values: Lazy;
  readonly parameters: Lazy;
  readonly destinationParameters: Lazy;
};

const jobs = defineClass<GalaxyJob>({
  name: 'Job',
  module: 'galaxy.model',
  attributes: {
    id: { get: ({ described }) => described.id ?? null },
    tool_id: { get: ({ described }) => described.tool.id },
    tool_version: { get: ({ described }) => described.tool.version ?? null },
    input_datasets: { get: (job) => job.inputs() },
    input_library_datasets: { get: () => new PyList([]) },
    state: { get: ({ described }) => described.state ?? 'new' },
    history: { get: (job) => job.history() },
    parameters: { get: (job) => job.parameters() },
    destination_params: { get: (job) => job.destinationParameters() },
  },
  methods: {
    'get_param_values(app, ignore_errors=)': (job) => job.values(),
    'get_parameters()': (job) => job.parameters(),
  },
});

/** The objects of Galaxy that rules reach, from the description of a job. */
type Galaxy = {
  readonly tool: PyObject;
  readonly user: PyObject | null;
  readonly job: PyObject;
  readonly app: PyObject;
};

/** `app`: attributes of `app` besides its admins. */
export function galaxyOf(job: JobDescription, app: ReadonlyMap<string, Value> = new Map()): Galaxy {
  return {
    tool: tools.wrap(job.tool),
    user: job.user === null ? null : userOf(job.user, job.roles),
    job: jobs.wrap({
      described: job,
      inputs: once(() => new PyList(job.inputs.map(associationOf))),
      history: once(() =>
        histories.wrap(new PyList((job.historyTags ?? []).map((tag) => historyTags.wrap(tag)))),
      ),
      values: once(() => objectOf(job.parameters ?? {})),
      parameters: once(
        () =>
          new PyList(
            Object.entries(job.parameters ?? {}).map(([name, value]) =>
              parameters.wrap({ name, value: fromJson(value) }),
            ),
          ),
      ),
      destinationParameters: once(() => objectOf(job.destinationParameters ?? {})),
    }),
    app: appOf(job, app),
  };
}

/** The class of `tool`. */
export const toolClass = tools.cls;

/**
 * The classes of the parts of a job, for rules that import them. `Job` and `User` there are tables
 * to ask.
 */
export const modelClasses = [
  roles.cls,
  ...datasetClasses,
  histories.cls,
  historyTags.cls,
  parameters.cls,
  dynamicTools.cls,
].map((cls): [string, Value] => [cls.name, cls]);

/** The class of `app`. */
export const appClass = new PyClass('UniverseApplication', [], { module: 'galaxy.app' });

/** The tool or job behind a Python value; undefined when there is none. */
export function toolBehind(value: Value): ToolDescription | undefined {
  return tools.unwrap(value);
}

export function jobBehind(value: Value): GalaxyJob | undefined {
  return jobs.unwrap(value);
}

export function userBehind(value: Value): UserDescription | undefined {
  return users.unwrap(value)?.described;
}

/** Makes the model on first use: few rules look at it. */
class AppModule extends PyModule {
  readonly #job: JobDescription;
  #model: PyModule | undefined;

  constructor(name: string, members: Iterable<readonly [string, Value]>, job: JobDescription) {
    super(name, members);
    this.#job = job;
  }
  override get cls(): PyClass {
    return appClass;
  }
  override attribute(name: string): Value | undefined {
    const given = super.attribute(name);
    if (given !== undefined || name !== 'model') return given;
    return (this.#model ??= modelOf(jobRows(this.#job)));
  }
}

/** An attribute, and that it was read. */
function noting<T>(fact: number, get: (self: T) => Value): { readonly get: (self: T) => Value } {
  return {
    get: (self) => {
      read.facts |= fact;
      return get(self);
    },
  };
}

function userOf(described: UserDescription, given: readonly RoleDescription[]): PyObject {
  return users.wrap({
    described,
    roles: once(() => new PyList(given.map((role) => roles.wrap(role)))),
    preferences: once(() => objectOf(described.extraPreferences ?? {})),
  });
}

function once(make: () => PyObject): Lazy {
  let made: PyObject | undefined;
  return () => (made ??= make());
}

function objectOf(fields: { readonly [key: string]: Parameters<typeof fromJson>[0] }): PyDict {
  return new PyDict(Object.entries(fields).map(([key, value]) => [key, fromJson(value)]));
}

/** `app`: its admins, and its model over the described jobs. */
function appOf(job: JobDescription, more: ReadonlyMap<string, Value>): PyObject {
  const config = new PyModule('config', [['admin_users', new PyList([...(job.adminUsers ?? [])])]]);
  return new AppModule('app', [['config', config], ...more], job);
}
