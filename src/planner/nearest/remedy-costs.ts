import { seconds } from '../../words/units.ts';
import { numberIn, type Refusal } from '../refusal.ts';
import type { Circumstance, Remedies } from './change.ts';

/** A run so short that it costs no more than the client pays; or a higher limit. */
export function cheaper(_circumstance: Circumstance, { place, limit, longest }: Refusal): Remedies {
  const to = numberIn(limit);
  if (place.what !== 'cost' || to === undefined) return [];
  return [
    ...(longest === undefined
      ? []
      : [[{ what: 'duration' as const, of: 0, to: seconds(longest) }]]),
    [{ what: 'cost', of: place.cost, to }],
  ];
}

/** No limit of a cost that the site does not tell. */
export function withoutLimit(_circumstance: Circumstance, { place }: Refusal): Remedies {
  return place.what === 'cost' ? [[{ what: 'cost', of: place.cost, to: undefined }]] : [];
}
