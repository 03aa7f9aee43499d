import { quantityKey } from '../planner/refusal.ts';
import type { Reason } from '../planner/reasons.ts';

/** Merges reasons that differ only in the next possible start; the earliest one is told. */
export function mergedTimes(reasons: readonly Reason[]): readonly Reason[] {
  if (reasons.every(({ when }) => when === undefined)) return reasons;
  const alike = Map.groupBy(reasons, ({ code, path, resource, asked, needed, limit, detail }) =>
    JSON.stringify([code, path, resource, ...[asked, needed, limit].map(quantityKey), detail]),
  );
  return [...alike.values()].flatMap((same) => {
    const [first] = same.toSorted((a, b) => (a.when ?? Infinity) - (b.when ?? Infinity));
    const rest = same.filter((one) => one !== first).flatMap(({ destinations }) => destinations);
    return first === undefined
      ? []
      : [{ ...first, destinations: [...first.destinations, ...rest] }];
  });
}
