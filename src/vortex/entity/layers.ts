import { PyDict, PyList } from '../../python/index.ts';
import type { Value } from '../../python/index.ts';
import { settleEntity } from './derived.ts';
import type { Concurrent, DestinationPart, Entity } from './entity.ts';
import { overridePool } from './pool-part.ts';
import { ACCEPTED, AMOUNTS, UNBOUNDED } from './properties.ts';
import type { ConcurrentName, EntityKind } from './properties.ts';
import { copyValue, mergeDicts } from '../values.ts';

/** What a child becomes over a parent, for as long as both are used. */
class Merged<T extends object> {
  readonly #known = new WeakMap<T, WeakMap<T, T>>();

  get(parent: T, child: T): T | undefined {
    return this.#known.get(parent)?.get(child);
  }

  keep(parent: T, child: T, merged: T): T {
    const overParent = this.#known.get(parent) ?? new WeakMap<T, T>();
    this.#known.set(parent, overParent.set(child, merged));
    return merged;
  }
}

/** An entity over one of higher order takes the kind of that one. */
export const MERGE_ORDER: { readonly [kind in EntityKind]: number } = {
  rule: 0,
  pool: 1,
  tool: 2,
  role: 3,
  user: 4,
  destination: 5,
};

/** Shared by all entities without such properties; a rule that gets hold of one gets a copy. */
const NO_ENTRIES = new PyDict();
const NO_ENV = new PyList([]);

/** `child` laid over `parent`, property by property, without tags. */
export function override(child: Entity, parent: Entity): Entity {
  const result = (MERGE_ORDER[parent.kind] <= MERGE_ORDER[child.kind] ? child : parent).copy();
  result.id = child.id;
  result.abstract = child.abstract;
  result.inherits = child.inherits ?? parent.inherits;
  result.rank = child.rank ?? parent.rank;
  for (const name of AMOUNTS) result.amounts[name] = child.amounts[name] ?? parent.amounts[name];
  result.concurrent = mergeConcurrent(child.concurrent, parent.concurrent);
  result.env = mergeEnv(parent, child);
  result.params = mergeTables('params', parent, child);
  result.resubmit = mergeTables('resubmit', parent, child);
  result.context = mergeTables('context', parent, child);
  if (child.kind !== 'rule' && parent.kind !== 'rule')
    result.rules = mergeRules(parent.rules, child.rules);
  if (child.rule !== null && parent.rule !== null) {
    const { condition, execute, fail } = child.rule;
    result.rule = {
      condition,
      execute: execute ?? parent.rule.execute,
      fail: fail ?? parent.rule.fail,
    };
  }
  if (child.destination !== null && parent.destination !== null) {
    result.destination = overrideDestination(child.destination, parent.destination);
  } else if (child.destination?.runner === null) {
    // A rule of a tool may set a runner, which is an unknown key there.
    const runner = parent.extra.get('runner');
    if (typeof runner === 'string') result.destination = { ...child.destination, runner };
  }
  if (child.pool !== null && parent.pool !== null)
    result.pool = overridePool(child.pool, parent.pool);
  return result;
}

/** `child.inherit(parent)`: the child over the parent, its tags in place of the parent's. */
export function inherit(child: Entity, parent: Entity | null): Entity {
  if (parent === null) return child.deepCopy();
  const result = override(child, parent);
  result.tags = child.tags.inherit(parent.tags);
  return result;
}

/** `high.combine(low)`: one over the other, with combined tags. Throws IncompatibleTags. */
export function combine(high: Entity, low: Entity): Entity {
  const result = override(high, low);
  result.id = `${high.cls.name}: ${high.id}, ${low.cls.name}: ${low.id}`;
  result.tags = high.tags.combine(low.tags);
  return result;
}

function mergeConcurrent(child: Concurrent, parent: Concurrent): Concurrent {
  if (child === UNBOUNDED || child === parent) return parent;
  const own = (name: ConcurrentName): Value => child[name] ?? parent[name];
  return {
    max_concurrent_cores: own('max_concurrent_cores'),
    max_concurrent_mem: own('max_concurrent_mem'),
    max_concurrent_gpus: own('max_concurrent_gpus'),
  };
}

/**
 * Env lists: a child's element replaces the parent's of the same name, or the equal one, in place.
 * The rest follow.
 */
function mergeEnv(parent: Entity, child: Entity): PyList {
  const [below, above] = [parent.env?.items ?? [], child.env?.items ?? []];
  if (parent.env !== null && parent.env === child.env && !parent.isHeld('env')) return parent.env;
  if (above.length === 0 && !parent.isHeld('env')) return parent.env ?? NO_ENV;
  if (below.length === 0 && !child.isHeld('env')) return child.env ?? NO_ENV;
  if (parent.env === null || child.env === null || parent.isHeld('env') || child.isHeld('env'))
    return mergedEnv(below, above);
  return (
    mergedEnvs.get(parent.env, child.env) ??
    mergedEnvs.keep(parent.env, child.env, mergedEnv(below, above))
  );
}

/** Lists that no rule has got hold of never change, and merge once. */
const mergedEnvs = new Merged<PyList>();

function mergedEnv(below: readonly Value[], above: readonly Value[]): PyList {
  const own = [...above];
  const merged = below.map((element) => {
    const index = own.findIndex((candidate) => sameEnv(candidate, element));
    return index < 0 ? element : (own.splice(index, 1)[0] ?? element);
  });
  return new PyList([...merged, ...own].map(copyValue));
}

function sameEnv(a: Value, b: Value): boolean {
  if (!(a instanceof PyDict) || !(b instanceof PyDict)) return false;
  const name = a.get('name');
  if (name !== undefined && name === b.get('name')) return true;
  return a.equals(b) === true;
}

/**
 * The parent's entries, then the child's. A new table where a rule may still change one of the two.
 */
function mergeTables(
  name: 'params' | 'resubmit' | 'context',
  parent: Entity,
  child: Entity,
): PyDict {
  const [below, above] = [parent[name], child[name]];
  if (below !== null && below === above && !parent.isHeld(name)) return below;
  if (isEmpty(above) && !parent.isHeld(name)) return below ?? NO_ENTRIES;
  if (isEmpty(below) && !child.isHeld(name)) return above ?? NO_ENTRIES;
  if (below !== null && above !== null && !child.isHeld(name) && continues(above, below))
    return above;
  return mergeDicts(below, above) ?? NO_ENTRIES;
}

/** Whether a dict begins with the keys of the other, so that it is itself once laid over it. */
function continues(dict: PyDict, other: PyDict): boolean {
  const keys = dict.table.keys();
  for (const key of other.table.keys())
    if (typeof key !== 'string' || keys.next().value !== key) return false;
  return true;
}

function isEmpty(dict: PyDict | null): boolean {
  return dict === null || dict.table.size === 0;
}

/**
 * Rules by key, in the parent's order. A rule whose id is a key of the parent's is merged with that
 * one, property by property. The key of a mapping is no id unless the rule repeats it.
 */
function mergeRules(parent: RuleMap, child: RuleMap): RuleMap {
  if (child.size === 0) return parent;
  if (parent.size === 0) return child;
  const known = mergedRules.get(parent, child);
  if (known !== undefined) return known;
  const merged = child === parent && isLaidOverItself(child) ? parent : mergedOf(parent, child);
  if (areSettled(parent) && areSettled(child)) {
    for (const rule of merged.values()) if (rule.derived === null) settleEntity(rule);
    mergedRules.keep(parent, child, merged);
  }
  return merged;
}

type RuleMap = ReadonlyMap<string, Entity>;

/** Rules that never change again merge once. */
const mergedRules = new Merged<RuleMap>();

function mergedOf(parent: RuleMap, child: RuleMap): RuleMap {
  const rules = new Map([...parent, ...child]);
  for (const rule of child.values()) {
    const prior = parent.get(rule.id);
    if (prior !== undefined) rules.set(rule.id, inherit(rule, prior));
  }
  return rules;
}

function areSettled(rules: RuleMap): boolean {
  for (const { derived } of rules.values()) if (derived === null) return false;
  return true;
}

/**
 * Whether laying the rules over themselves changes nothing. A rule laid over another has at least
 * empty tables.
 */
function isLaidOverItself(rules: RuleMap): boolean {
  for (const [key, rule] of rules) {
    if (!rules.has(rule.id)) continue;
    if (key !== rule.id || rule.env === null || rule.params === null) return false;
  }
  return true;
}

function overrideDestination(child: DestinationPart, parent: DestinationPart): DestinationPart {
  const accepted = { ...parent.accepted };
  for (const name of ACCEPTED) accepted[name] = child.accepted[name] ?? parent.accepted[name];
  return {
    runner: child.runner ?? parent.runner,
    // Every destination has its own name and handler tags, at least its id and an empty list.
    name: child.name,
    handlerTags: child.handlerTags,
    accepted,
    tags: child.tags.inherit(parent.tags),
  };
}
