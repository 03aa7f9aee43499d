import { RESOURCES, type Clause, type ResourceName } from './decision.ts';

/** The largest number of JSON. */
const MOST = Number.MAX_VALUE;

/** The nearest number of JSON; null for null and for NaN. */
export function storableNumber(value: number | null): number | null {
  return value === null || Number.isNaN(value) ? null : Math.min(Math.max(value, -MOST), MOST);
}

/** Every limit that the amounts break. An amount that is not asked for breaks none. */
export function brokenLimits(
  asked: { readonly [name in ResourceName]: number | null },
  limitOf: (bound: 'max' | 'min', resource: ResourceName) => number | null | undefined,
): readonly Clause[] {
  const clauses: Clause[] = [];
  for (const resource of RESOURCES) {
    const amount = asked[resource];
    if (amount === null) continue;
    const [max, min] = [
      limitOf('max', resource) ?? Infinity,
      limitOf('min', resource) ?? -Infinity,
    ];
    if (max < amount)
      clauses.push({
        code: 'above-max-accepted',
        resource,
        asked: Math.min(amount, MOST),
        limit: Math.max(max, -MOST),
      });
    if (min > amount)
      clauses.push({
        code: 'below-min-accepted',
        resource,
        asked: Math.max(amount, -MOST),
        limit: Math.min(min, MOST),
      });
  }
  return clauses;
}
