import { printQuantity } from '../../planner/refusal.ts';
import type { Wording } from '../../planner/reasons.ts';
import { pathIn } from './paths.ts';
import type { SeedAsk } from './read.ts';

/** How reasons speak of a client's document: in its paths, with sizes such as `16Gb`. */
export function wordingOf(body: SeedAsk): Wording {
  return {
    pathOf: (place) => pathIn(body, place),
    amountOf: (quantity) => `${printQuantity(quantity, 'Gb')}`,
  };
}
