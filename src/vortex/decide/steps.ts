import type { Context } from './context.ts';
import { evaluateResources, evaluateRules } from './evaluate.ts';
import { combineEntities, findEntities } from './lookup.ts';
import type { Mapping } from './mapping.ts';
import { findDestinations } from './shortlist.ts';
import type { Shortlist, Telling } from './shortlist.ts';
import { Visible } from './visible.ts';

/**
 * The five steps of TPV's mapper. `evaluate` is the fifth: `map` takes the first destination that
 * takes the job, `consider` asks them all. Throws Python's exceptions.
 */
export function inFiveSteps<T>(
  mapping: Mapping,
  telling: Telling,
  evaluate: (shortlist: Shortlist, context: Context) => T,
): T {
  const { rules, job, trace } = mapping;
  // 1. Find the entities of the tool, the role and the user.
  const found = findEntities(rules, job);

  // 2. Combine them, user over role over tool.
  const combined = new Visible(combineEntities(rules, job, found, trace));
  const context = mapping.contextOf(combined);

  // 3. Evaluate their rules, then the resources that they ask for.
  const entity = evaluateRules(combined.now, context, trace).withoutRules();
  context.entity = entity;
  context.self = entity;
  const evaluated = evaluateResources(entity, context);
  trace?.resources(evaluated);

  // 4. Find the destinations that match, best first.
  const shortlist = findDestinations(mapping, { entity, evaluated }, context, telling);

  // 5. Combine each destination with the entity and evaluate it, in that order.
  return evaluate(shortlist, context);
}
