import { PyDict, PyList, PyObject, raise, str, truthy } from '../../python/index.ts';
import type { Value } from '../../python/index.ts';
import { entityClasses } from '../entity/entity-classes.ts';
import type { DestinationPart, Entity, RulePart } from '../entity/entity.ts';
import { MERGE_ORDER } from '../entity/layers.ts';
import { entityEvaluator } from './mapper.ts';
import { poolAttribute, setPoolAttribute } from './pool-attributes.ts';
import { ACCEPTED, AMOUNTS, isConcurrent } from '../entity/properties.ts';
import type { AmountName } from '../entity/properties.ts';
import { PyTags, tagsOfDict } from './python-tags.ts';
import type { TagSet } from '../entity/tags.ts';
import { copyValue } from '../values.ts';

/** What a rule reads as `entity.<name>`; undefined when there is no such attribute. */
export function entityAttribute(entity: Entity, name: string): Value | undefined {
  if (isAmount(name)) return entity.amounts[name];
  if (isConcurrent(name)) return entity.concurrent[name];
  switch (name) {
    case 'id':
    case 'abstract':
    case 'inherits':
    case 'rank':
      return entity[name];
    case 'env':
    case 'params':
      // Both are None in TPV when not set; an entity over another has at least empty ones.
      entity.hold(name);
      return entity[name];
    case 'resubmit':
    case 'context':
      entity.hold(name);
      // Empty in TPV unless a file says null. What a rule adds must stay in the entity.
      return (entity[name] ??= new PyDict());
    case 'tpv_tags':
      return shownTags(entity);
    case 'rules':
      // All jobs share rules and unknown keys: a rule gets its own copy of them.
      return new PyDict([...entity.rules].map(([id, rule]) => [id, rule.deepCopy()]));
    default:
      if (entity.rule !== null && isOfRule(name)) return ruleAttribute(entity.rule, name);
      if (name === 'no_qa_codes') return new PyList([...entity.silenced]);
      if (name === 'evaluator' && !entity.extra.has(name)) return entityEvaluator;
      if (name === 'merge_order') return MERGE_ORDER[entity.kind];
      if (entity.extra.has(name)) return extraAttribute(entity, name);
      return entity.pool === null
        ? destinationAttribute(entity, name)
        : poolAttribute(entity, entity.pool, name);
  }
}

const OF_RULE = ['if_condition', 'execute', 'fail'] as const;
type RuleProperty = (typeof OF_RULE)[number];

/** What `entity.<name> = value` does; any name can be set, as in TPV. Raises Python's TypeError. */
export function setEntityAttribute(entity: Entity, name: string, value: Value): void {
  if (isAmount(name)) {
    entity.changesAmount();
    entity.amounts[name] = value;
    return;
  }
  entity.changes();
  if (isConcurrent(name)) {
    entity.concurrent = { ...entity.concurrent, [name]: value };
    return;
  }
  switch (name) {
    case 'id':
      entity.id = text(name, value) ?? '';
      return;
    case 'rank':
      entity.rank = text(name, value);
      return;
    case 'params':
    case 'resubmit':
    case 'context':
      entity.hold(name);
      entity[name] = value === null || value instanceof PyDict ? value : mismatch(name, 'a dict');
      return;
    case 'env':
      entity.hold(name);
      entity.env = value === null || value instanceof PyList ? value : mismatch(name, 'a list');
      return;
    case 'tpv_tags':
      entity.tags = givenTags(name, value);
      return;
    case 'abstract':
      entity.abstract = truthy(value);
      return;
    case 'inherits':
      entity.inherits = text(name, value);
      return;
    case 'rules':
      entity.rules = rulesIn(value);
      return;
    default:
      if (entity.rule !== null && isOfRule(name)) {
        entity.rule = withRuleAttribute(entity.rule, name, value);
        return;
      }
      if (entity.destination !== null) {
        entity.hold('destination');
        if (setDestinationAttribute(entity.destination, name, value)) return;
      }
      if (entity.pool !== null && setPoolAttribute(entity, entity.pool, name, value)) return;
      setExtra(entity, name, value);
  }
}

const amounts: ReadonlySet<string> = new Set(AMOUNTS);

function isAmount(name: string): name is AmountName {
  return amounts.has(name);
}

/** The same object while the tags are the same: everybody who holds it sees a change of a rule. */
function shownTags(entity: Entity): PyTags {
  if (entity.shown.tags?.tags === entity.tags) return entity.shown.tags;
  const shown = new PyTags(entity.tags, (own) => {
    entity.changes();
    entity.tags = own;
  });
  entity.shown = { ...entity.shown, tags: shown };
  return shown;
}

function isOfRule(name: string): name is RuleProperty {
  return OF_RULE.some((property) => property === name);
}

function ruleAttribute({ condition, execute, fail }: RulePart, name: RuleProperty): Value {
  return { if_condition: condition, execute, fail }[name];
}

/**
 * An attribute that TPV does not know. The entity gets its own copy before a rule gets hold of it.
 */
function extraAttribute(entity: Entity, name: string): Value | undefined {
  const value = entity.extra.get(name);
  if (!(value instanceof PyList || value instanceof PyDict)) return value;
  const own = copyValue(value);
  entity.changes();
  setExtra(entity, name, own);
  return own;
}

function setExtra(entity: Entity, name: string, value: Value): void {
  entity.extra = new Map([...entity.extra, [name, value]]);
}

function destinationAttribute(entity: Entity, name: string): Value | undefined {
  if (entity.destination === null) return undefined;
  if (name === 'handler_tags') entity.hold('destination');
  const part = entity.destination;
  switch (name) {
    case 'runner':
      return part.runner;
    case 'dest_name':
      return part.name;
    case 'tpv_dest_tags':
      return shownDestinationTags(entity, part);
    case 'handler_tags':
      return part.handlerTags;
    case 'max_accepted_cores':
    case 'min_accepted_cores':
    case 'max_accepted_mem':
    case 'min_accepted_mem':
    case 'max_accepted_gpus':
    case 'min_accepted_gpus':
      return part.accepted[name];
    default:
      return undefined;
  }
}

function shownDestinationTags(entity: Entity, part: DestinationPart): PyTags {
  if (entity.shown.destinationTags?.tags === part.tags) return entity.shown.destinationTags;
  const shown = new PyTags(part.tags, (own) => {
    entity.changes();
    if (entity.destination !== null) entity.destination = { ...entity.destination, tags: own };
  });
  entity.shown = { ...entity.shown, destinationTags: shown };
  return shown;
}

function text(name: string, value: Value): string | null {
  return value === null || typeof value === 'string' ? value : mismatch(name, 'a string');
}

function mismatch(name: string, expected: string): never {
  return raise('TypeError', `'${name}' of an entity must be ${expected}`);
}

/** The tags that a rule assigns. Later changes of the rule's object reach the entity. */
function givenTags(name: string, value: Value): TagSet {
  if (value instanceof PyDict) return tagsOfDict(value);
  return value instanceof PyTags ? value.open() : mismatch(name, 'SchedulingTags');
}

function rulesIn(value: Value): ReadonlyMap<string, Entity> {
  if (!(value instanceof PyDict)) return mismatch('rules', 'a dict');
  return new Map(
    value
      .pairs()
      .map(([id, rule]) => [str(id), isRule(rule) ? rule : mismatch('rules', 'a dict of rules')]),
  );
}

function isRule(value: Value): value is Entity {
  return value instanceof PyObject && value.cls === entityClasses.rule;
}

function withRuleAttribute(rule: RulePart, name: RuleProperty, value: Value): RulePart {
  if (name !== 'if_condition') return { ...rule, [name]: text(name, value) };
  return { ...rule, condition: typeof value === 'boolean' ? value : str(value) };
}

/** @returns false for an unknown property */
function setDestinationAttribute(part: DestinationPart, name: string, value: Value): boolean {
  switch (name) {
    case 'runner':
      part.runner = text(name, value);
      return true;
    case 'dest_name':
      part.name = text(name, value) ?? '';
      return true;
    case 'tpv_dest_tags':
      part.tags = givenTags(name, value);
      return true;
    case 'handler_tags':
      part.handlerTags = value instanceof PyList ? value : mismatch(name, 'a list');
      return true;
    default: {
      const limit = ACCEPTED.find((accepted) => accepted === name);
      if (limit === undefined) return false;
      part.accepted = { ...part.accepted, [limit]: value };
      return true;
    }
  }
}
