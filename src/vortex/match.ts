import { asNumber } from '../python/index.ts';
import type { Clause, ResourceName } from './decision.ts';
import type { DestinationPart, Entity } from './entity.ts';
import { numberOf } from './evaluate.ts';
import { tagClauses } from './tags.ts';

const RESOURCES: readonly ResourceName[] = ['cores', 'mem', 'gpus'];

/**
 * Every reason why a destination cannot take the job; empty when it can (1.13). `job` has evaluated resources; they are
 * those from before the destination's own rules and clamps. An unset resource is always accepted.
 */
export function clausesAgainst(destination: Entity, job: Entity): Clause[] {
  const part = destination.destination;
  if (destination.abstract || part === null) return [{ code: 'destination-abstract' }];
  return [...RESOURCES.flatMap((resource) => limitClauses(part, job, resource)), ...tagClauses(job.tags, part.tags)];
}

function limitClauses(part: DestinationPart, job: Entity, resource: ResourceName): Clause[] {
  const asked = numberOf(job.amounts[resource], resource);
  if (asked === null) return [];
  const max = asNumber(part.accepted[`max_accepted_${resource}`]);
  const min = asNumber(part.accepted[`min_accepted_${resource}`]);
  const clauses: Clause[] = [];
  if (max !== undefined && max < asked) clauses.push({ code: 'above-max-accepted', resource, asked, limit: max });
  if (min !== undefined && min > asked) clauses.push({ code: 'below-min-accepted', resource, asked, limit: min });
  return clauses;
}
