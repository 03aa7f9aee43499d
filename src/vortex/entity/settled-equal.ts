import type { Value } from '../../python/index.ts';
import { PyFloat, PyObject } from '../../python/index.ts';
import type { Entity } from './entity.ts';
import { AMOUNTS } from './properties.ts';
import { copyDict } from '../values.ts';

/**
 * A settled entity that equals this one: `entity.params['x'] = 'y'` and `entity.mem = 8` have the
 * same result for many jobs. The entity itself when there is none.
 */
export function settledEqual(entity: Entity): Entity {
  if (entity.settled !== undefined) return entity.settled;
  const { before } = entity;
  if (before === null || before.derived === null || before.tags !== entity.tags) return entity;
  if (before.destination !== entity.destination) return entity;
  const change = changeOf(before, entity);
  if (change === null) return entity;
  return before.derived.changed(change, () => {
    const equal = entity.copy();
    equal.params = entity.params === null ? null : copyDict(entity.params);
    return equal;
  });
}

/**
 * What `settledEqual` gives once a rule has set a text among the params, without the copies that a
 * rule would get; null where only the rule itself can tell.
 */
export function withParam(before: Entity, key: string, text: string): Entity | null {
  const { derived, params } = before;
  if (derived === null || params === null || before.isHeld('params')) return null;
  const change = params.get(key) === text ? '' : `${JSON.stringify(key)} ${JSON.stringify(text)}`;
  return derived.changed(change, () => {
    const changed = before.copy();
    changed.params = copyDict(params);
    changed.params.set(key, text);
    return changed;
  });
}

/** The difference between two entities as text; null when single values cannot express it. */
function changeOf(before: Entity, after: Entity): string | null {
  const parts: (string | null)[] = [];
  for (const name of AMOUNTS) {
    if (before.amounts[name] !== after.amounts[name]) parts.push(name, textOf(after.amounts[name]));
  }
  if (before.params !== after.params) parts.push(changedParams(before, after));
  return parts.includes(null) ? null : parts.join('\n');
}

/** A value with its type; null for one with changeable parts. */
function textOf(value: Value): string | null {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof PyFloat) return `float ${value.repr()}`;
  return value instanceof PyObject ? null : `${typeof value} ${String(value)}`;
}

/** Null for entries that are gone or moved, and for lists and dicts, whose parts may differ. */
function changedParams(before: Entity, after: Entity): string | null {
  if (before.params === null || after.params === null) return null;
  const parts: (string | null)[] = [];
  const old = before.params.table.entries();
  for (const [hashed, { key, value }] of after.params.table) {
    const was = old.next().value;
    if (typeof key !== 'string' || (was !== undefined && was[0] !== hashed)) return null;
    if (was !== undefined && was[1].value === value && !isContainer(value)) continue;
    parts.push(JSON.stringify(key), textOf(value));
  }
  return old.next().done !== true || parts.includes(null) ? null : parts.join(' ');
}

function isContainer(value: Value): boolean {
  return value instanceof PyObject && !(value instanceof PyFloat);
}
