import type { LeastNeed } from './language.ts';

/** Of the needs of steps the largest for each resource. */
export function largestOf(needs: readonly LeastNeed[]): readonly LeastNeed[] {
  return (['cores', 'memory', 'scratch'] as const).flatMap((resource) => {
    const [first, ...more] = needs.filter((need) => need.resource === resource);
    if (first === undefined) return [];
    return [more.reduce((one, need) => (need.amount > one.amount ? need : one), first)];
  });
}
