import {
  defineClass,
  equals,
  items,
  nativeFunction,
  PyDict,
  PyList,
  PyModule,
  raise,
  str,
  typeName,
} from '../../python/index.ts';
import type { Value } from '../../python/index.ts';
import { Entity } from '../entity/entity.ts';
import { jobBehind, toolBehind, userBehind } from './galaxy.ts';
import { costHelper, type AmountsAsked } from './helpers/costs.ts';
import { drawHelpers } from './helpers/draws.ts';
import { inputHelpers } from './helpers/inputs.ts';
import type { JobDescription, OtherJob } from '../job.ts';
import { requirementAmountOf } from '../decide/requirements.ts';
import { functionsOf } from './members.ts';
import type { Members } from './members.ts';
import { compareVersions } from '../version.ts';

/**
 * The module `helpers` of every snippet.
 *
 * @param random replaces Python's module of that name
 * @param demand the amounts of the job, for the helper `cost`
 */
export function helpersOf(
  job: JobDescription,
  random?: Value,
  demand: () => AmountsAsked | null = () => null,
): PyModule {
  const common = random === undefined ? usualHelpers : commonHelpers(drawHelpers(random));
  return new Helpers(job, common, demand);
}

const COUNTING = 'concurrent_job_count_for_tool';
const COST = 'cost';

/** All jobs share one module. Two functions know the job, and few rules call them. */
class Helpers extends PyModule {
  readonly #job: JobDescription;
  readonly #common: PyModule;
  readonly #demand: () => AmountsAsked | null;
  #counting: Value | undefined;
  #cost: Value | undefined;

  constructor(job: JobDescription, common: PyModule, demand: () => AmountsAsked | null) {
    super(common.name, []);
    this.#job = job;
    this.#common = common;
    this.#demand = demand;
  }

  override names(): readonly string[] {
    return [...this.#common.names(), COUNTING, COST];
  }

  override attribute(name: string): Value | undefined {
    if (name === COST) return (this.#cost ??= costHelper(this.#job, this.#demand));
    if (name !== COUNTING) return this.#common.attribute(name);
    return (this.#counting ??= nativeFunction(
      `${name}(app, tool, user=)`,
      (_app, tool = null, user = null) => jobCount(this.#job, tool, user),
    ));
  }
}

const ORDERS: { readonly [name: string]: (order: number) => boolean } = {
  eq: (order) => order === 0,
  lte: (order) => order <= 0,
  lt: (order) => order < 0,
  gte: (order) => order >= 0,
  gt: (order) => order > 0,
};

const jobHelpers = [
  ...functionsOf({
    'job_args_match(job, app, args)': (job = null, _app, args = null) => argumentsMatch(job, args),
    'tag_values_match(entity, match_tag_values=, exclude_tag_values=)': (
      entity = null,
      wanted = null,
      unwanted = null,
    ) => hasTags(entity, wanted, unwanted),
    'get_tool_resource_field(tool, field_name)': (tool = null, field = null) =>
      requirementOf(tool, field),
  }),
  ...Object.entries(ORDERS).flatMap(([name, holds]) =>
    functionsOf({
      [`tool_version_${name}(tool, version)`]: (tool = null, version = null) => {
        const own = toolBehind(tool)?.version;
        if (own == null || version === null) return null;
        if (typeof version !== 'string')
          return raise(
            'TypeError',
            `expected string or bytes-like object, got '${typeName(version)}'`,
          );
        return holds(compareVersions(own, version));
      },
    }),
  ),
];

const usualHelpers = commonHelpers(drawHelpers());

/** `galaxy.jobs.rule_helper.RuleHelper`: counts the described queued and running jobs. */
export function ruleHelperOf(described: JobDescription): Value {
  const { cls } = defineClass<readonly OtherJob[]>({
    name: 'RuleHelper',
    module: 'galaxy.jobs.rule_helper',
    construct: () => described.otherJobs ?? [],
    methods: {
      'job_count(for_user_email=, for_destinations=, for_destination=, for_job_states=)': (
        jobs,
        email,
        destinations,
        destination,
        states,
      ) => {
        const places =
          destination != null ? [destination] : destinations != null ? items(destinations) : null;
        const phases = states == null ? null : items(states);
        return number(
          jobs.filter(
            (job) =>
              (email == null || job.userEmail === email) &&
              (places === null || places.includes(job.destination ?? null)) &&
              (phases === null || phases.includes(job.state)),
          ),
        );
      },
    },
  });
  return cls;
}

function commonHelpers(draws: Members): PyModule {
  return new PyModule('tpv.core.helpers', [...inputHelpers, ...draws, ...jobHelpers]);
}

function number(jobs: readonly OtherJob[]): number {
  return jobs.reduce((sum, { count = 1 }) => sum + count, 0);
}

/** Queued or running jobs of any version of the tool; with a user, theirs only. */
function jobCount(described: JobDescription, tool: Value, user: Value): number {
  const id =
    toolBehind(tool)?.id ??
    raise('AttributeError', `'${typeName(tool)}' object has no attribute 'id'`);
  const family = id.includes('/') ? id.slice(0, id.lastIndexOf('/') + 1) : null;
  const owner = userBehind(user)?.id;
  const counted = (described.otherJobs ?? []).filter(
    ({ toolId, userId }) =>
      (family === null ? toolId === id : toolId.startsWith(family)) &&
      (user === null || userId === owner),
  );
  return number(counted);
}

/** Whether the job's parameters have the given values; all keys of a nested dict make one path. */
function argumentsMatch(job: Value, args: Value): boolean {
  if (!(args instanceof PyDict) || args.table.size === 0) return false;
  const options = jobBehind(job)?.values() ?? null;
  return args.pairs().every(([key, value]) => {
    const path = [key, ...keysWithin(value)];
    const wanted = follow(args, path);
    const given = follow(options, path);
    return wanted !== undefined && given !== undefined && equals(wanted, given);
  });
}

function keysWithin(value: Value): readonly Value[] {
  if (!(value instanceof PyDict)) return [];
  return [...value.keys(), ...value.pairs().flatMap(([, inner]) => keysWithin(inner))];
}

/**
 * The value at the end of a path of keys; undefined when a key is missing. Throws TypeError for a
 * value on the way that has no keys.
 */
function follow(from: Value, path: readonly Value[]): Value | undefined {
  let at: Value | undefined = from;
  for (const key of path) {
    if (at === undefined) return undefined;
    if (!(at instanceof PyDict)) {
      return raise(
        'TypeError',
        `descriptor '__getitem__' for 'dict' objects doesn't apply to a '${typeName(at)}' object`,
      );
    }
    at = at.get(key);
  }
  return at;
}

/**
 * Whether an entity has all wanted tags and no unwanted one. Every category counts, even `reject`.
 */
function hasTags(entity: Value, wanted: Value, unwanted: Value): boolean {
  if (!(entity instanceof Entity))
    return raise('AttributeError', `'${typeName(entity)}' object has no attribute 'tpv_tags'`);
  const has = (tag: Value): boolean => entity.tags.has(str(tag));
  return items(wanted ?? new PyList([])).every(has) && !items(unwanted ?? new PyList([])).some(has);
}

function requirementOf(tool: Value, field: Value): Value {
  const name = str(field);
  // By the names of entities: `mem`, not `ram_min`. Of several requirements for one amount the last
  // counts.
  const found = toolBehind(tool)
    ?.requirements.map(requirementAmountOf)
    .findLast(([amount]) => amount === name);
  return found?.[1] ?? null;
}
