import { isNonEmpty, type NonEmpty } from '../../words/ids.ts';
import type { Excess } from '../guard.ts';
import type { Proposal } from '../offer.ts';
import type { Planning } from './planning.ts';
import type { Refusal } from '../refusal.ts';

/** Is each of these left out for a quota of its own destination? Then others may have room. */
export function isOnlyThere(proposals: readonly Proposal[], excesses: readonly Excess[]): boolean {
  return proposals.every(({ destination }) =>
    excesses.some((one) => one.destination === destination),
  );
}

/** Plans at the other destinations. */
export function butAt(closed: ReadonlySet<string>, plan: Planning): Planning {
  return closed.size === 0
    ? plan
    : (asked, site, list) =>
        plan(asked, site, { ...list, suitable: list.suitable.filter(({ id }) => !closed.has(id)) });
}

/** That no destination is left is no reason where quotas took them. */
export function withOvers(
  overs: readonly Refusal[],
  refusals: NonEmpty<Refusal>,
): NonEmpty<Refusal> {
  const all = [
    ...overs,
    ...refusals.filter(({ code }) => overs.length === 0 || code !== 'no-destination'),
  ];
  return isNonEmpty(all) ? all : refusals;
}
