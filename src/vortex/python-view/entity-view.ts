import { PyDict, PyTuple } from '../../python/index.ts';
import type { Value } from '../../python/index.ts';
import { showEntitiesAs } from '../entity/entity.ts';
import type { Entity } from '../entity/entity.ts';
import { entityAttribute, setEntityAttribute } from './entity-attributes.ts';
import { entityMethod, entityNames, entityPairs, sameEntity } from './entity-methods.ts';
import { entityRepr, entityText } from './entity-text.ts';

/*
 * Importing this file gives entities their Python side. Every path that shows entities to rules
 * imports it.
 */

showEntitiesAs({
  repr: entityRepr,
  str: entityText,
  attribute,
  setAttribute: setEntityAttribute,
  names: entityNames,
  iterate: (entity) => entityPairs(entity).iterate(),
  equals: sameEntity,
});

function attribute(entity: Entity, name: string): Value | undefined {
  if (name === '__class__') return entity.cls;
  if (name === '__dict__') return new PyDict(entityPairs(entity).items.map(pairOf));
  const own = entityAttribute(entity, name);
  // Null is a value: an unset limit is None, not a missing attribute.
  return own === undefined ? entityMethod(entity, name) : own;
}

function pairOf(pair: Value): readonly [Value, Value] {
  return pair instanceof PyTuple ? [pair.items[0] ?? null, pair.items[1] ?? null] : [null, null];
}
