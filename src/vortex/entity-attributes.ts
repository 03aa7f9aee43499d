import { PyDict, PyList, raise } from '../python/index.ts';
import type { Value } from '../python/index.ts';
import type { DestinationPart, Entity } from './entity.ts';
import { AMOUNTS } from './properties.ts';
import type { AmountName } from './properties.ts';
import { PyTags } from './python-tags.ts';
import { copyValue } from './values.ts';

/** What a rule reads as `entity.<name>` (1.20); undefined when there is no such attribute. */
export function entityAttribute(entity: Entity, name: string): Value | undefined {
  if (isAmount(name)) return entity.amounts[name];
  switch (name) {
    case 'id':
    case 'abstract':
    case 'inherits':
    case 'rank':
      return entity[name];
    case 'env':
      return (entity.env ??= new PyList([]));
    case 'params':
    case 'resubmit':
    case 'context':
      // Empty in TPV unless a file says null; what a rule then puts into it must stay in the entity.
      return (entity[name] ??= new PyDict());
    case 'tpv_tags':
      return new PyTags(entity.tags);
    case 'rules':
      // Rules and unknown keys are shared by all jobs: what a rule gets of them is its own copy.
      return new PyDict([...entity.rules].map(([id, rule]) => [id, rule.deepCopy()]));
    default:
      return (
        (entity.destination === null ? undefined : destinationAttribute(entity.destination, name)) ??
        copied(entity.extra.get(name))
      );
  }
}

function destinationAttribute(part: DestinationPart, name: string): Value | undefined {
  switch (name) {
    case 'runner':
      return part.runner;
    case 'dest_name':
      return part.name;
    case 'tpv_dest_tags':
      return new PyTags(part.tags);
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

function copied(value: Value | undefined): Value | undefined {
  return value === undefined ? undefined : copyValue(value);
}

/** What `entity.<name> = value` does. Raises Python's AttributeError or TypeError. */
export function setEntityAttribute(entity: Entity, name: string, value: Value): void {
  if (isAmount(name)) {
    entity.amounts[name] = value;
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
      entity[name] = value === null || value instanceof PyDict ? value : mismatch(name, 'a dict');
      return;
    case 'env':
      entity.env = value === null || value instanceof PyList ? value : mismatch(name, 'a list');
      return;
    case 'tpv_tags':
      entity.tags = value instanceof PyTags ? value.tags : mismatch(name, 'SchedulingTags');
      return;
    case 'runner':
    case 'dest_name':
    case 'tpv_dest_tags':
      if (entity.destination !== null) {
        setDestinationAttribute(entity.destination, name, value);
        return;
      }
      break;
    default:
  }
  raise('AttributeError', `'${entity.cls.name}' object has no attribute '${name}' that a rule may set`);
}

function setDestinationAttribute(
  part: DestinationPart,
  name: 'runner' | 'dest_name' | 'tpv_dest_tags',
  value: Value,
): void {
  if (name === 'runner') part.runner = text(name, value);
  else if (name === 'dest_name') part.name = text(name, value) ?? '';
  else part.tags = value instanceof PyTags ? value.tags : mismatch(name, 'SchedulingTags');
}

function isAmount(name: string): name is AmountName {
  return AMOUNTS.some((amount) => amount === name);
}

function text(name: string, value: Value): string | null {
  return value === null || typeof value === 'string' ? value : mismatch(name, 'a string');
}

function mismatch(name: string, expected: string): never {
  return raise('TypeError', `'${name}' of an entity must be ${expected}`);
}
