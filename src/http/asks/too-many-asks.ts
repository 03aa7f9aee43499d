import type { Principal } from '../../identity/principal.ts';
import type { Rates } from '../../quotas/rates.ts';
import { quotasOf } from '../../quotas/scopes.ts';
import type { Site } from '../../site/site.ts';
import { Problem } from '../../words/problem.ts';

/** Counts an ask, or a request that costs as much. @throws Problem `too-many-asks` (429) */
export type SpendRate = (principal: Principal) => void;

export function openSpendRate(rates: Rates, site: () => Site): SpendRate {
  return (principal) => {
    const wait = rates.take(quotasOf(site().quotas, principal));
    if (wait === undefined) return;
    throw new Problem(
      'too-many-asks',
      `The quota allows no more asks in this minute; try again in ${wait} s.`,
      { headers: { 'Retry-After': `${wait}` } },
    );
  };
}

/** Gives back what `SpendRate` took. */
export type GiveBack = (principal: Principal) => void;

export function openGiveBack(rates: Rates, site: () => Site): GiveBack {
  return (principal) => rates.give(quotasOf(site().quotas, principal));
}
