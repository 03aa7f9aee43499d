import type { Database } from '../../db/client.ts';
import { ownerOf, type Principal } from '../../identity/principal.ts';
import type { Instant } from '../../schedule/interval.ts';
import type { NonEmpty } from '../../words/ids.ts';
import type { Considered, RulesDecider } from '../considering.ts';
import type { Proposal } from '../offer.ts';
import type { OpenAnswers } from '../record/open-answers.ts';
import type { Work } from '../record/work.ts';
import { tryAnswer } from '../record/write-answers.ts';
import { isFull, type Planning } from './planning.ts';
import {
  openQuotaPlanning,
  planUntilSettled,
  TOO_SLOW,
  type PlannedOffers,
  type PlannedRefusal,
} from './quota-plan.ts';

/** What an answer would be. Nothing is held and nothing is written. */
export type Rehearsed =
  | { readonly result: 'YES'; readonly now: Instant; readonly proposals: NonEmpty<Proposal> }
  | PlannedRefusal;

export type Rehearsal = (considered: Considered, principal: Principal) => Promise<Rehearsed>;

/**
 * Answers as an ask is answered, by the book as it is now. Where quotas hold, the answer is
 * written, then rolled back, so that the one function that judges quotas decides.
 */
export function createRehearsal(
  database: Database,
  sandbox: RulesDecider,
  planned: Planning,
  open: OpenAnswers,
  work: Work,
): Rehearsal {
  return async (first, principal) => {
    const { site } = first;
    const owner = ownerOf(principal);
    const planning = openQuotaPlanning(sandbox, first, principal);
    const excess = await open.excess(site, owner);
    if (excess !== undefined) planning.exceed([excess]);
    const rehearsed = await planUntilSettled<PlannedOffers | PlannedRefusal, Rehearsed>(
      () => planning.plan(firstThenAll(planned)),
      async (plan) => {
        if (plan.result === 'NO') return plan;
        const { now, allowed } = plan;
        const guard = planning.guard(await work.isNear(site, owner, allowed));
        const verdict = guard && (await tryAnswer(database, owner, allowed, guard, now));
        if (verdict === undefined || verdict.kind === 'placed')
          return { result: 'YES', now, proposals: allowed };
        if (verdict.kind === 'full') return planning.full(verdict.pools, now);
        if (verdict.kind === 'over') planning.exceed(verdict.excesses);
        return undefined;
      },
    );
    return rehearsed ?? { result: 'NO', now: 0, refusals: TOO_SLOW };
  };
}

/**
 * The first destinations that fit get the offers, so the planner reads the book of the others
 * only when these do not fill the answer.
 */
function firstThenAll(planned: Planning): Planning {
  return async (asked, site, list) => {
    const near = { ...list, suitable: list.suitable.slice(0, 2 * site.offers.most) };
    const found = await planned(asked, site, near);
    const isEnough = near.suitable.length === list.suitable.length || isFull(found.planned, site);
    return isEnough ? found : planned(asked, site, list);
  };
}
