import type { SiteDestination } from '../../site/destination.ts';
import { seconds } from '../../words/units.ts';
import { durationFor } from '../plan/windows.ts';
import { numberIn, type Refusal } from '../refusal.ts';
import type { Change, Circumstance, Remedies } from './change.ts';
import { toLower } from './remedy-amounts.ts';

const HOUR_S = 3600;

/** A shorter run or smaller amounts, which cost no more than the client pays; or a higher limit. */
export function cheaper(
  circumstance: Circumstance,
  refusal: Refusal,
  destination: SiteDestination,
): Remedies {
  const { place, limit, longest } = refusal;
  const to = numberIn(limit);
  if (place.what !== 'cost' || to === undefined) return [];
  const shorter: readonly Change[] =
    longest === undefined ? [] : [{ what: 'duration', of: 0, to: seconds(longest) }];
  return [
    ...(shorter.length === 0 ? [] : [shorter]),
    ...smaller(circumstance, refusal, destination, place.cost),
    [{ what: 'cost', of: place.cost, to }],
  ];
}

/** No limit of a cost that the site does not tell. */
export function withoutLimit(_circumstance: Circumstance, { place }: Refusal): Remedies {
  return place.what === 'cost' ? [[{ what: 'cost', of: place.cost, to: undefined }]] : [];
}

/**
 * Less of one resource, so much that it saves what is above the limit. Rules may give other amounts
 * than the ask names; then the trial of the changed ask tells a further limit.
 */
function smaller(
  { ask, site }: Circumstance,
  { place, asked, limit }: Refusal,
  { costs }: SiteDestination,
  cost: number,
): Remedies {
  const tariff = costs.find(({ type }) => type === ask.costs[cost]?.type);
  const [cap, price] = [numberIn(asked), numberIn(limit)];
  if (tariff === undefined || cap === undefined || price === undefined) return [];
  const { duration } = ask.windows[0];
  const hours = (duration.min ?? durationFor(duration, site.offers)) / HOUR_S;
  const lowered = (
    resource: 'cores' | 'memory' | 'gpus',
    { amount, unit, rate }: { amount: number; unit: number; rate: number },
  ): Remedies => {
    const left = rate === 0 ? 0 : amount - ((price - cap) / (rate * hours)) * unit;
    // Whole cores and GiB where there is at least one.
    const rounded = left >= unit ? Math.floor(left / unit) * unit : Math.floor(left);
    return rounded < 1
      ? []
      : toLower(ask, site, resource, { place, asked: amount, limit: rounded });
  };
  const { cores, memory, gpus } = ask;
  const { core, memory: gib, gpu } = tariff;
  return [
    ...lowered('cores', { amount: cores.min ?? site.defaults.cores, unit: 1000, rate: core }),
    ...lowered('memory', { amount: memory.min ?? site.defaults.memory, unit: 1024, rate: gib }),
    ...lowered('gpus', { amount: gpus?.count ?? 0, unit: 1, rate: gpu }),
  ];
}
