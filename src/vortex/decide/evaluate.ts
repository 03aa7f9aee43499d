import { asNumber, gt, lt, raise, repr, truthy } from '../../python/index.ts';
import type { PyDict, Value } from '../../python/index.ts';
import type { Context } from './context.ts';
import type { Entity } from '../entity/entity.ts';
import { mappingFailure } from '../python-view/exceptions.ts';
import { inherit } from '../entity/layers.ts';
import { floatIn } from '../numbers.ts';
import type { Filled } from './template.ts';
import type { Trace } from '../explain/trace.ts';
import { Visible } from './visible.ts';

/** The id doubles with every rule that executes; nobody reads more than its beginning. */
const LONGEST_ID = 4_000;

/**
 * Evaluate an entity's rules in order. The context's `entity` becomes the result of each rule that
 * matches. Throws Python's exceptions, and JobMappingException for a rule's `fail`.
 */
export function evaluateRules(self: Entity, context: Context, trace: Trace | null): Visible {
  let current = new Visible(self);
  context.update(current);
  for (const rule of self.rules.values()) {
    const condition = rule.rule?.condition ?? false;
    if (!context.condition(condition)) {
      trace?.ruleNotMatched(rule, condition);
      continue;
    }
    trace?.ruleMatched(rule, condition);
    const layer = evaluateRule(rule, context);
    current = new Visible(layered(layer, current.equal()));
    context.entity = current;
  }
  return current;
}

/**
 * Evaluate min_*, max_*, then gpus, cores and mem with their clamps. Each is a name for the next.
 * The given entity keeps its expressions; the result has values.
 */
export function evaluateResources(entity: Visible, context: Context): Entity {
  const result = entity.equal().deepCopy();
  result.changes();
  context.update(entity);
  const { amounts } = result;
  for (const name of [
    'min_gpus',
    'min_cores',
    'min_mem',
    'max_gpus',
    'max_cores',
    'max_mem',
  ] as const) {
    if (amounts[name] === null) continue;
    amounts[name] = context.code(amounts[name]);
    context.set(name, amounts[name]);
  }
  for (const name of ['gpus', 'cores', 'mem'] as const) {
    if (amounts[name] === null) continue;
    amounts[name] = clamp(
      context.code(amounts[name]),
      amounts[`min_${name}`],
      amounts[`max_${name}`],
    );
    context.set(name, amounts[name]);
  }
  return result;
}

/** A destination evaluated for one job, in TPV's order. */
export type Placement = {
  /** With values for resources; its texts are still f-strings. */
  readonly entity: Entity;
  /** Null when empty. */
  readonly env: Filled | null;
  readonly params: Filled | null;
  readonly resubmit: Filled | null;
  readonly name: string;
  readonly handlerTags: readonly string[];
  /** The entity with the expressions of its resources, after its rules. */
  readonly ruled: Visible;
};

/**
 * Evaluate a destination that has been combined with the job's entity. Throws Python's exceptions.
 */
export function evaluateDestination(
  combined: Entity,
  context: Context,
  trace: Trace | null,
): Placement {
  const ruled = evaluateRules(combined, context, trace);
  const entity = evaluateResources(ruled, context);
  const env =
    entity.env === null || entity.env.items.length === 0 ? null : context.fill('env', entity.env);
  const params =
    entity.params === null || isEmpty(entity.params) ? null : context.fill('params', entity.params);
  const resubmit =
    entity.resubmit === null || isEmpty(entity.resubmit)
      ? null
      : context.fill('resubmit', entity.resubmit);
  // TPV names the destination as it is before its rules.
  const name = context.text(combined.destination?.name ?? combined.id);
  context.set('dest_name', name);
  const handlerTags = (entity.destination?.handlerTags.items ?? []).map((tag) =>
    context.text(String(tag)),
  );
  return { entity, env, params, resubmit, name, handlerTags, ruled };
}

/**
 * A resource as a number for the schedule; null when it is not set. Throws Python's TypeError or
 * ValueError.
 */
export function numberOf(value: Value, what: string): number | null {
  if (value === null) return null;
  const number = asNumber(typeof value === 'string' ? floatIn(value) : value);
  if (number === undefined)
    return raise('TypeError', `${what} must be a number, not ${repr(value)}`);
  return Number.isFinite(number)
    ? number
    : raise('ValueError', `${what} must be a finite number, not ${repr(value)}`);
}

/** As `numberOf`; an error is told with the place of the expression. */
export function numberAt(
  value: Value,
  what: string,
  expression: Value,
  context: Context,
): number | null {
  try {
    return numberOf(value, what);
  } catch (error) {
    context.blame(expression);
    throw error;
  }
}

/** A bound as a number; null for anything else, since only numbers are compared. */
export function boundOf(value: Value): number | null {
  const number = asNumber(value);
  return number !== undefined && Number.isFinite(number) ? number : null;
}

/**
 * What a matching rule lays over the entity: the rule itself, or after `execute` the changed
 * entity.
 */
function evaluateRule(rule: Entity, context: Context): Entity {
  const { fail, execute } = rule.rule ?? { fail: null, execute: null };
  if (fail !== null && fail !== '') throw mappingFailure(context.text(fail));
  if (execute === null || execute === '') return rule;
  context.execute(execute);
  return context.entity.equal();
}

/** The entity with a layer over it, named after both. */
function layered(layer: Entity, below: Entity): Entity {
  const make = (): Entity => {
    const result = inherit(layer, below);
    const id = `${result.id}, Rule: ${layer.id}`;
    if (id.length <= LONGEST_ID) result.id = id;
    return result;
  };
  const [settled, over] = [below.settled, layer.settled];
  if (settled?.derived == null || over === undefined) return make();
  return settled.derived.layered(over, make);
}

/**
 * Python's `max(min, v or 0)` and `min(max, v or 0)`. A limit that equals the value wins, with its
 * type; a falsy limit counts as none.
 */
function clamp(value: Value, min: Value, max: Value): Value {
  let clamped = value;
  if (truthy(min)) clamped = truthy(gt(orZero(clamped), min)) ? orZero(clamped) : min;
  if (truthy(max)) clamped = truthy(lt(orZero(clamped), max)) ? orZero(clamped) : max;
  return clamped;
}

function orZero(value: Value): Value {
  return truthy(value) ? value : 0;
}

function isEmpty(dict: PyDict): boolean {
  return dict.table.size === 0;
}
