import { asNumber, compare, PyDict, PyList, raise, repr, truthy } from '../python/index.ts';
import type { Value } from '../python/index.ts';
import type { Context } from './context.ts';
import { inherit } from './entity.ts';
import type { Entity } from './entity.ts';
import { mappingFailure } from './exceptions.ts';
import type { Trace } from './trace.ts';

/** The id doubles with every rule that executes; nobody reads more of it than this. */
const LONGEST_ID = 4_000;

/**
 * Evaluate an entity's rules in order (1.10). The context's `entity` becomes the result of each rule that matched.
 * Throws Python's exceptions, JobMappingException for a rule's `fail`.
 */
export function evaluateRules(self: Entity, context: Context, trace: Trace): Entity {
  let current = self.deepCopy();
  context.update(current.context);
  for (const rule of self.rules.values()) {
    const condition = rule.rule?.condition ?? false;
    if (!context.condition(condition)) {
      trace.ruleNotMatched(rule, condition);
      continue;
    }
    trace.ruleMatched(rule, condition);
    const layer = evaluateRule(rule, context);
    current = inherit(layer, current);
    const id = `${current.id}, Rule: ${layer.id}`;
    if (id.length <= LONGEST_ID) current.id = id;
    context.entity = current;
  }
  return current;
}

/** What a matching rule lays over the entity: itself, or after `execute` the entity as the Python left it. */
function evaluateRule(rule: Entity, context: Context): Entity {
  const { fail, execute } = rule.rule ?? { fail: null, execute: null };
  if (fail !== null && fail !== '') throw mappingFailure(context.text(fail));
  if (execute === null || execute === '') return rule;
  context.execute(execute);
  return context.entity;
}

/**
 * Evaluate min_*, max_*, then gpus, cores and mem with their clamps (1.11); each is a name for the next. The entity
 * given keeps its expressions; the result has values.
 */
export function evaluateResources(entity: Entity, context: Context): Entity {
  const result = entity.deepCopy();
  context.update(entity.context);
  const { amounts } = result;
  for (const name of ['min_gpus', 'min_cores', 'min_mem', 'max_gpus', 'max_cores', 'max_mem'] as const) {
    if (amounts[name] === null) continue;
    amounts[name] = context.code(amounts[name]);
    context.set(name, amounts[name]);
  }
  for (const name of ['gpus', 'cores', 'mem'] as const) {
    if (amounts[name] === null) continue;
    amounts[name] = clamp(context.code(amounts[name]), amounts[`min_${name}`], amounts[`max_${name}`]);
    context.set(name, amounts[name]);
  }
  return result;
}

/**
 * Python's `max(min, v or 0)` and `min(max, v or 0)`: of equals the limit is kept, with its type; a falsy limit is
 * none.
 */
function clamp(value: Value, min: Value, max: Value): Value {
  let clamped = value;
  if (truthy(min)) clamped = compare(orZero(clamped), min) > 0 ? orZero(clamped) : min;
  if (truthy(max)) clamped = compare(orZero(clamped), max) < 0 ? orZero(clamped) : max;
  return clamped;
}

function orZero(value: Value): Value {
  return truthy(value) ? value : 0;
}

/** What a destination comes to for one job: everything evaluated, in TPV's order (1.15). */
export type Placement = { readonly entity: Entity; readonly name: string; readonly handlerTags: readonly string[] };

/** Evaluate a destination that has been combined with the job's entity. Throws Python's exceptions. */
export function evaluateDestination(combined: Entity, context: Context, trace: Trace): Placement {
  const ruled = evaluateRules(combined, context, trace);
  const entity = evaluateResources(ruled, context);
  if (entity.env !== null && entity.env.items.length > 0) {
    entity.env = list(context.texts(entity.env));
    context.set('env', entity.env);
  }
  if (entity.params !== null && entity.params.table.size > 0) {
    entity.params = dict(context.texts(entity.params));
    context.set('params', entity.params);
  }
  if (entity.resubmit !== null && entity.resubmit.table.size > 0) {
    entity.resubmit = dict(context.texts(entity.resubmit));
    context.set('resubmit', entity.resubmit);
  }
  // The name is the one from before the rules (1.15).
  const name = context.text(combined.destination?.name ?? combined.id);
  context.set('dest_name', name);
  const handlerTags = (entity.destination?.handlerTags.items ?? []).map((tag) => context.text(String(tag)));
  return { entity, name, handlerTags };
}

function list(value: Value): PyList {
  return value instanceof PyList ? value : raise('TypeError', `env must be a list, not ${repr(value)}`);
}

function dict(value: Value): PyDict {
  return value instanceof PyDict ? value : raise('TypeError', `a dict was expected, not ${repr(value)}`);
}

/** A resource as a number for the schedule; null when not set. Throws Python's TypeError or ValueError. */
export function numberOf(value: Value, what: string): number | null {
  if (value === null) return null;
  const number = asNumber(value);
  if (number === undefined) return raise('TypeError', `${what} must be a number, not ${repr(value)}`);
  return Number.isFinite(number) ? number : raise('ValueError', `${what} must be a finite number, not ${repr(value)}`);
}
