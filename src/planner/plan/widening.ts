import { widened, type Considered, type RulesDecider } from '../considering.ts';
import type { Planned, Planning } from './planning.ts';

/** A plan, and what the rules said that it was made on. */
export type PlannedWidely = Planned & { readonly considered: Considered };

/**
 * Plans an ask at the destinations that the rules were asked about, and at more of them until there
 * are as many offers as an answer may have or no more destinations that match. So a NO has been
 * said by every destination, and a YES costs what its offers cost.
 */
export async function planWidely(
  sandbox: RulesDecider,
  first: Considered,
  planning: Planning,
): Promise<PlannedWidely> {
  const plan = async (considered: Considered): Promise<PlannedWidely> => ({
    ...(await planning(considered.asked, considered.site, considered.list)),
    considered,
  });
  let found = await plan(first);
  while (!found.considered.list.isWhole) {
    const { planned, considered } = found;
    if (planned.result === 'YES' && planned.rooms.length >= considered.site.offers.most)
      return found;
    const wider = await widened(sandbox, considered);
    // A few offers are better than none because of a rule that took too long.
    if (wider.verdict.kind === 'sandbox' && planned.result === 'YES') return found;
    found = await plan(wider);
  }
  return found;
}
