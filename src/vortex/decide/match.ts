import { asNumber, call, float, PyError, typeOf } from '../../python/index.ts';
import type { Value } from '../../python/index.ts';
import { RESOURCES, type Clause, type ResourceName } from '../decision.ts';
import type { DestinationPart, Entity } from '../entity/entity.ts';
import { brokenLimits } from '../limits.ts';
import { tagClauses } from '../entity/tags.ts';

/**
 * Every reason why a destination cannot take the job; empty when it can. `job` has the resources
 * from before the destination's own rules and clamps. An unset resource is always accepted. Throws
 * Python's exceptions for resources that are no numbers.
 */
export function clausesAgainst(destination: Entity, job: Entity): readonly Clause[] {
  const part = destination.destination;
  if (destination.abstract || part === null) return ABSTRACT;
  const limits = limitClauses(part, askedOf(job));
  const tags = tagClauses(job.tags, part.tags);
  return limits.length === 0 ? tags : [...limits, ...tags];
}

export const ABSTRACT: readonly Clause[] = [{ code: 'destination-abstract' }];

/**
 * The amounts that a job asks for; null for one that it does not set, or that is no number. The
 * latter are in `unfit`, and fail only in a comparison with a limit.
 */
export type Asked = { readonly [name in ResourceName]: number | null } & {
  readonly unfit: ReadonlyMap<ResourceName, Value> | null;
};

export function askedOf({ amounts }: Entity): Asked {
  const unfit = new Map<ResourceName, Value>();
  const number = (name: ResourceName): number | null => {
    const value = amounts[name];
    if (value === null) return null;
    try {
      return floatOf(value);
    } catch (error) {
      if (!(error instanceof PyError)) throw error;
      unfit.set(name, value);
      return null;
    }
  };
  const [cores, mem, gpus] = [number('cores'), number('mem'), number('gpus')];
  return { cores, mem, gpus, unfit: unfit.size === 0 ? null : unfit };
}

const FLOAT = typeOf(float(0));

/**
 * Every limit of a destination that the amounts break. Throws Python's exceptions for an amount
 * that is no number.
 */
export function limitClauses({ accepted }: DestinationPart, asked: Asked): readonly Clause[] {
  if (asked.unfit !== null) compareUnfit(accepted, asked, asked.unfit);
  return brokenLimits(asked, (bound, resource) =>
    asNumber(accepted[`${bound}_accepted_${resource}`]),
  );
}

/** Python's `float(value)`. Throws its TypeError, ValueError or OverflowError. */
function floatOf(value: Value): number {
  const known = typeof value === 'bigint' ? undefined : asNumber(value);
  return known ?? asNumber(call(FLOAT, [value])) ?? Number.NaN;
}

/**
 * Fails where TPV does: at the first limit that meets an unfit amount, unless an earlier limit is
 * broken.
 */
function compareUnfit(
  accepted: DestinationPart['accepted'],
  asked: Asked,
  unfit: ReadonlyMap<ResourceName, Value>,
): void {
  for (const bound of ['max', 'min'] as const) {
    for (const resource of RESOURCES) {
      const limit = asNumber(accepted[`${bound}_accepted_${resource}`]);
      const value = unfit.get(resource);
      if (limit === undefined) continue;
      if (value !== undefined) floatOf(value);
      const amount = asked[resource];
      if (amount !== null && (bound === 'max' ? limit < amount : limit > amount)) return;
    }
  }
}
