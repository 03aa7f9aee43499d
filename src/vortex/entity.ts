import { nativeFunction, PyDict, PyList, PyObject } from '../python/index.ts';
import type { PyClass, Value } from '../python/index.ts';
import type { Tags } from './decision.ts';
import { entityAttribute, setEntityAttribute } from './entity-attributes.ts';
import { entityClasses } from './entity-classes.ts';
import { ACCEPTED, AMOUNTS } from './properties.ts';
import type { AcceptedName, AmountName, EntityKind } from './properties.ts';
import type { Place } from './snippets.ts';
import { TagSet } from './tags.ts';
import { copyValue, mergeDicts } from './values.ts';

/** An entity laid over one of a higher order keeps the other's kind (1.8). */
const MERGE_ORDER: { readonly [kind in EntityKind]: number } = { rule: 0, tool: 2, role: 3, user: 4, destination: 5 };

/** What only rules have. */
export type RulePart = { condition: string | boolean; execute: string | null; fail: string | null };

/** What only destinations have. */
export type DestinationPart = {
  runner: string | null;
  name: string;
  accepted: { readonly [name in AcceptedName]: Value };
  tags: TagSet;
  handlerTags: PyList;
};

/**
 * A tool, role, user, destination or rule (1.5). Rules see it as `entity` and may change it, so it is a mutable Python
 * object; what is loaded is only ever copied. Null means that a property is not set.
 */
export class Entity extends PyObject {
  readonly kind: EntityKind;
  id: string;
  abstract = false;
  inherits: string | null = null;
  /** A number, or Python source that is evaluated as `str(value)`. */
  amounts: { [name in AmountName]: Value } = noAmounts();
  env: PyList | null = null;
  params: PyDict | null = null;
  resubmit: PyDict | null = null;
  context: PyDict | null = null;
  rank: string | null = null;
  tags = new TagSet();
  rules: ReadonlyMap<string, Entity> = new Map();
  rule: RulePart | null = null;
  destination: DestinationPart | null = null;
  /** Where it stands in the rule files, for messages. */
  place: Place | null = null;
  /** Lint codes that a `# noqa` comment in the file silences; `noqa` is all of them. */
  silenced: readonly string[] = [];
  /** Keys that TPV does not know: kept, and readable as attributes. */
  extra: ReadonlyMap<string, Value> = new Map();
  /** Where those keys stand, and the unknown ones inside `scheduling` (`scheduling.x`). */
  unknown: ReadonlyMap<string, Place> = new Map();

  constructor(kind: EntityKind, id: string) {
    super();
    this.kind = kind;
    this.id = id;
  }

  get cls(): PyClass {
    return entityClasses[this.kind];
  }

  override repr(): string {
    return `<${this.cls.name} id=${this.id}>`;
  }

  override attribute(name: string): Value | undefined {
    if (name === 'score') return nativeFunction('score(entity)', (other) => this.scoreOf(other ?? null));
    return entityAttribute(this, name);
  }

  override setAttribute(name: string, value: Value): void {
    setEntityAttribute(this, name, value);
  }

  /** `destination.score(entity)` (1.7). */
  scoreOf(other: Value): number {
    if (!(other instanceof Entity)) return 0;
    return (this.destination?.tags ?? this.tags).score(other.tags);
  }

  /** A copy that shares everything inside. */
  shallowCopy(): Entity {
    const copy = new Entity(this.kind, this.id);
    Object.assign(copy, this);
    copy.amounts = { ...this.amounts };
    return copy;
  }

  /** A copy that a rule may change without touching this one. Rules and limits are never changed and stay shared. */
  deepCopy(): Entity {
    const copy = this.shallowCopy();
    copy.env = this.env === null ? null : copyList(this.env);
    copy.params = this.params === null ? null : mergeDicts(this.params, null);
    copy.resubmit = this.resubmit === null ? null : mergeDicts(this.resubmit, null);
    copy.context = this.context === null ? null : mergeDicts(this.context, null);
    copy.tags = this.tags.copy();
    if (this.destination !== null) {
      const { tags, handlerTags } = this.destination;
      copy.destination = { ...this.destination, tags: tags.copy(), handlerTags: copyList(handlerTags) };
    }
    return copy;
  }

  /** The tags that a destination is matched by, else the entity's own. */
  get scheduling(): Tags {
    return (this.destination?.tags ?? this.tags).toJSON();
  }
}

/** `child` laid over `parent`, property by property, without tags (1.8). */
function override(child: Entity, parent: Entity): Entity {
  const result = (MERGE_ORDER[parent.kind] <= MERGE_ORDER[child.kind] ? child : parent).shallowCopy();
  result.id = child.id;
  result.abstract = child.abstract;
  result.inherits = child.inherits ?? parent.inherits;
  result.rank = child.rank ?? parent.rank;
  for (const name of AMOUNTS) result.amounts[name] = child.amounts[name] ?? parent.amounts[name];
  result.env = mergeEnv(parent.env, child.env);
  result.params = mergeDicts(parent.params, child.params) ?? new PyDict();
  result.resubmit = mergeDicts(parent.resubmit, child.resubmit) ?? new PyDict();
  result.context = mergeDicts(parent.context, child.context) ?? new PyDict();
  if (child.kind !== 'rule' && parent.kind !== 'rule') result.rules = mergeRules(parent.rules, child.rules);
  if (child.rule !== null && parent.rule !== null) {
    const { condition, execute, fail } = child.rule;
    result.rule = { condition, execute: execute ?? parent.rule.execute, fail: fail ?? parent.rule.fail };
  }
  if (child.destination !== null && parent.destination !== null) {
    result.destination = overrideDestination(child.destination, parent.destination);
  }
  return result;
}

/** `child.inherit(parent)`: laid over it, its tags replacing the parent's. */
export function inherit(child: Entity, parent: Entity | null): Entity {
  if (parent === null) return child.deepCopy();
  const result = override(child, parent);
  result.tags = child.tags.inherit(parent.tags);
  return result;
}

/** `high.combine(low)`: laid over it, tags combined. Throws IncompatibleTags. */
export function combine(high: Entity, low: Entity): Entity {
  const result = override(high, low);
  result.id = `${high.cls.name}: ${high.id}, ${low.cls.name}: ${low.id}`;
  result.tags = high.tags.combine(low.tags);
  return result;
}

function overrideDestination(child: DestinationPart, parent: DestinationPart): DestinationPart {
  const accepted = { ...parent.accepted };
  for (const name of ACCEPTED) accepted[name] = child.accepted[name] ?? parent.accepted[name];
  return {
    runner: child.runner ?? parent.runner,
    // Every destination has a name and handler tags of its own, if only its id and an empty list.
    name: child.name,
    handlerTags: child.handlerTags,
    accepted,
    tags: child.tags.inherit(parent.tags),
  };
}

/** Rules by id: the parent's positions stay, and a rule that both have is merged property by property. */
function mergeRules(
  parent: ReadonlyMap<string, Entity>,
  child: ReadonlyMap<string, Entity>,
): ReadonlyMap<string, Entity> {
  if (child.size === 0) return parent;
  if (parent.size === 0) return child;
  const rules = new Map(parent);
  for (const [id, rule] of child) {
    const prior = parent.get(id);
    rules.set(id, prior === undefined ? rule : inherit(rule, prior));
  }
  return rules;
}

/** Env lists: a child's element replaces the parent's of the same name, or the equal one, in place; the rest follow. */
function mergeEnv(parent: PyList | null, child: PyList | null): PyList {
  if (parent === null || child === null) return copyList(child ?? parent ?? new PyList([]));
  const own = [...child.items];
  const merged = parent.items.map((element) => {
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

function copyList(list: PyList): PyList {
  return new PyList(list.items.map(copyValue));
}

function noAmounts(): { [name in AmountName]: Value } {
  return {
    min_gpus: null,
    min_cores: null,
    min_mem: null,
    max_gpus: null,
    max_cores: null,
    max_mem: null,
    gpus: null,
    cores: null,
    mem: null,
  };
}
