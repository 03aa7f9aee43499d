import { float, repr } from '../python/index.ts';
import { combine, Entity, inherit } from './entity.ts';
import { mappingFailure } from './exceptions.ts';
import type { JobDescription, ResourceRequirementType, RoleDescription, ToolDescription } from './job.ts';
import type { Rules } from './load.ts';
import type { AmountName } from './properties.ts';
import type { Section } from './section.ts';
import { TagSet } from './tags.ts';
import type { Trace } from './trace.ts';

/**
 * Where a tool wrapper's requirements go; their values are floats, as Galaxy's are: a text `{cores}` says `4.0` (1.17).
 */
const REQUIREMENTS: { readonly [type in ResourceRequirementType]: AmountName } = {
  cores_min: 'cores',
  cores_max: 'max_cores',
  ram_min: 'mem',
  ram_max: 'max_mem',
  cuda_device_count_min: 'gpus',
  cuda_device_count_max: 'max_gpus',
};

/**
 * The tool, role and user of a job, combined: user over role over tool (1.1, 1.9). Throws PyError, IncompatibleTags.
 */
export function lookUp(rules: Rules, job: JobDescription, trace: Trace): Entity {
  const tool = lookUpTool(rules, job, trace);
  const parts = [
    tool,
    ...(job.user === null ? withoutUser(trace) : lookUpUser(rules, job.user.email, job.roles, trace)),
  ];
  const combined = parts.reduce((low, high) => combine(high, low));
  trace.combined(parts, combined);
  return combined;
}

/** Without a user there is neither role nor user entity, not even the defaults. */
function withoutUser(trace: Trace): readonly Entity[] {
  trace.add({ step: 'no-user' });
  return [];
}

function lookUpUser(rules: Rules, email: string, roles: readonly RoleDescription[], trace: Trace): readonly Entity[] {
  const role = lookUpRole(rules.roles, roles);
  trace.add(role === null ? { step: 'no-role' } : { step: 'role-matched', entity: role.id });
  const user = match(rules.users, email, null);
  trace.add(
    user === null ? { step: 'user-unmatched', user: email } : { step: 'user-matched', user: email, entity: user.id },
  );
  return [role, user].filter((part) => part !== null);
}

function lookUpTool(rules: Rules, job: JobDescription, trace: Trace): Entity {
  const { id, type = 'default', uuid } = job.tool;
  const provided = providedBy(job.tool);
  // A tool that a user defined cannot pass for another by its id.
  const key = uuid == null ? id : `${type}-${uuid}`;
  const tool = match(rules.tools, key, provided) ?? provided;
  trace.add({ step: 'tool-matched', tool: key, entity: tool.id });
  return tool;
}

/** What the tool wrapper itself asks for, as the entity that lies under those of the rule files (1.17). */
export function providedBy({ id, type = 'default', uuid, requirements }: ToolDescription): Entity {
  const provided = new Entity('tool', `tool_provided_resources_${uuid ?? id}`);
  provided.tags = new TagSet({ accept: [`tool_type_${type}`] });
  for (const { type: requirement, value } of requirements) provided.amounts[REQUIREMENTS[requirement]] = float(value);
  return provided;
}

/** The first role that yields an entity; with a default role that is the first role at all. */
function lookUpRole(roles: Section, given: readonly RoleDescription[]): Entity | null {
  for (const { name, deleted } of given) {
    const found = deleted === true ? null : match(roles, name, null);
    if (found !== null) return found;
  }
  return null;
}

/**
 * All entities that match, later ones over earlier ones, over what is provided, over the default; null when there are
 * none.
 */
function match(section: Section, id: string, provided: Entity | null): Entity | null {
  const matching = section.matching(id);
  const abstract = matching.find((entity) => entity.abstract);
  if (abstract !== undefined) throw mappingFailure(`This entity is abstract and cannot be mapped : ${repr(abstract)}`);
  const layers = [section.fallback, provided, ...matching].filter((layer) => layer !== null);
  const [first, ...rest] = layers;
  return first === undefined ? null : rest.reduce((parent, child) => inherit(child, parent), first.deepCopy());
}
