import { PyError, str } from '../../python/index.ts';
import { Entity } from '../entity/entity.ts';
import { mappingFailure } from '../python-view/exceptions.ts';
import type { JobEntities } from '../entity/derived.ts';
import { combine, inherit } from '../entity/layers.ts';
import type { JobDescription, RoleDescription, ToolDescription } from '../job.ts';
import type { Rules } from '../file/rules.ts';
import { requirementAmountOf } from './requirements.ts';
import type { Matching, Section } from '../file/section.ts';
import { TagSet } from '../entity/tags.ts';
import type { Trace } from '../explain/trace.ts';

/** The key of the tool of a job, and the entities that match it, the role and the user. */
type FoundEntities = {
  readonly key: string;
  readonly tool: Matching;
  readonly role: Matching | null;
  readonly user: Matching | null;
};

/** Step 1. */
export function findEntities(rules: Rules, job: JobDescription): FoundEntities {
  const { id, type = 'default', uuid } = job.tool;
  // The type is part of the key: a tool that a user defines cannot pass for another by its id.
  const key = uuid == null ? id : `${type}-${uuid}`;
  return {
    key,
    tool: rules.tools.matching(key),
    role: job.user === null ? null : roleOf(rules.roles, job.roles),
    user: job.user === null ? null : rules.users.matching(job.user.email),
  };
}

/**
 * Step 2: user over role over tool. The entity is settled: all jobs that match the same entities
 * share it. Throws PyError, IncompatibleTags.
 */
export function combineEntities(
  rules: Rules,
  job: JobDescription,
  { key, tool: matching, role, user }: FoundEntities,
  trace: Trace | null,
): Entity {
  const { id, type = 'default', requirements } = job.tool;
  const provided = requirements.length === 0 ? '' : JSON.stringify(requirements);
  // The entity of a tool is named after the last one that matches, and after the tool without one.
  const named = matching.entities.length === 0 ? `${key}\n${id}` : matching.number;
  const people = `${role?.number ?? '-'} ${user?.number ?? '-'}`;
  const same = `${people} ${type} ${named}\n${provided}`;
  const known = rules.found.get(same);
  if (known !== undefined) {
    if (trace !== null) tellAll(trace, key, job, known);
    return known.combined;
  }
  const tool = toolOf(rules.tools, matching, job);
  trace?.add({ step: 'tool-matched', tool: key, entity: tool.id });
  const roleEntity = role === null ? null : layersOf(rules.roles, role, null);
  if (trace !== null && job.user !== null) tellRole(trace, roleEntity);
  const userEntity = user === null ? null : layersOf(rules.users, user, null);
  if (trace !== null) tellUser(trace, job, userEntity);
  const found = combinedOf(tool, roleEntity, userEntity);
  trace?.combined(partsOf(found), found.combined);
  rules.found.keep(same, found);
  return found.combined;
}

/** What the tool wrapper itself asks for, as an entity below those of the rule files. */
export function providedBy({ id, type = 'default', uuid, requirements }: ToolDescription): Entity {
  const provided = new Entity('tool', `tool_provided_resources_${uuid ?? id}`);
  provided.tags = new TagSet({ accept: [`tool_type_${type}`] });
  for (const requirement of requirements) {
    const [name, amount] = requirementAmountOf(requirement);
    provided.amounts[name] = amount;
  }
  return provided;
}

/** The matches of the first role that yields an entity. With a default role, every role does. */
function roleOf(roles: Section, given: readonly RoleDescription[]): Matching | null {
  for (const { name, deleted } of given) {
    if (deleted === true) continue;
    const matching = roles.matching(name);
    if (matching.entities.length > 0 || roles.fallback !== null || roles.broken !== null)
      return matching;
  }
  return null;
}

/** Tells again what an earlier look-up found. */
function tellAll(trace: Trace, key: string, job: JobDescription, found: JobEntities): void {
  trace.add({ step: 'tool-matched', tool: key, entity: found.tool.id });
  if (job.user !== null) tellRole(trace, found.role);
  tellUser(trace, job, found.user);
  trace.combined(partsOf(found), found.combined);
}

function tellRole(trace: Trace, role: Entity | null): void {
  trace.add(role === null ? { step: 'no-role' } : { step: 'role-matched', entity: role.id });
}

/** Without a user there is no role and no user entity, not even a default one. */
function tellUser(trace: Trace, { user }: JobDescription, found: Entity | null): void {
  if (user === null) trace.add({ step: 'no-user' });
  else if (found === null) trace.add({ step: 'user-unmatched', user: user.email });
  else trace.add({ step: 'user-matched', user: user.email, entity: found.id });
}

function partsOf({ tool, role, user }: JobEntities): readonly Entity[] {
  return [tool, role, user].filter((part) => part !== null);
}

function toolOf(tools: Section, matching: Matching, job: JobDescription): Entity {
  const provided = providedBy(job.tool);
  return layersOf(tools, matching, provided) ?? provided;
}

/**
 * All entities that match, later over earlier, over the provided one, over the default. Null when
 * there are none.
 */
function layersOf(
  section: Section,
  { entities }: Matching,
  provided: Entity | null,
): Entity | null {
  const { broken } = section;
  const keys = broken === null ? [] : [...section.entities.values()].slice(0, broken.position);
  const abstract = entities.find(
    (entity) => entity.abstract && (broken === null || keys.includes(entity)),
  );
  if (abstract !== undefined)
    throw mappingFailure(`This entity is abstract and cannot be mapped : ${str(abstract)}`);
  if (broken !== null) throw new PyError('re.error', [broken.message], broken.message);
  const layers = [section.fallback, provided, ...entities].filter((layer) => layer !== null);
  const [first, ...rest] = layers;
  return first === undefined
    ? null
    : rest.reduce((parent, child) => inherit(child, parent), first.deepCopy());
}

function combinedOf(tool: Entity, role: Entity | null, user: Entity | null): JobEntities {
  const above = [role, user].filter((part) => part !== null);
  // The copy keeps the job's entity apart from the loaded tool.
  return {
    tool,
    role,
    user,
    combined:
      above.length === 0 ? tool.copy() : above.reduce((low, high) => combine(high, low), tool),
  };
}
