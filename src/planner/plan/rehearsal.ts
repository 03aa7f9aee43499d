import type { Database } from '../../db/client.ts';
import { ownerOf, type Principal } from '../../identity/principal.ts';
import { personOf } from '../../quotas/scopes.ts';
import type { Instant } from '../../schedule/interval.ts';
import { isNonEmpty, type NonEmpty } from '../../words/ids.ts';
import type { Considered, RulesDecider } from '../considering.ts';
import { butAt, isOnlyThere, withOvers } from './other-destinations.ts';
import {
  beyondQuota,
  guardOf,
  overQuota,
  withinQuotas,
  type Excess,
  type PlacementVerdict,
} from '../guard.ts';
import { placeAnswerIn, type AnswerPlacement } from '../record/ledger.ts';
import { withOfferIds, newAskId } from '../record/number-offers.ts';
import type { Proposal } from '../offer.ts';
import type { OpenAnswers } from '../record/open-answers.ts';
import type { Planning } from './planning.ts';
import type { Refusal } from '../refusal.ts';
import { poolsFull, withPools } from '../judge/resource-pools.ts';
import { planWidely } from './widening.ts';
import type { Work } from '../record/work.ts';

/** What an answer would be. Nothing is held and nothing is written. */
export type Rehearsed =
  | { readonly result: 'YES'; readonly now: Instant; readonly proposals: NonEmpty<Proposal> }
  | { readonly result: 'NO'; readonly now: Instant; readonly refusals: NonEmpty<Refusal> };

export type Rehearsal = (considered: Considered, principal: Principal) => Promise<Rehearsed>;

/** Somebody else may take the capacity between reading and trying. */
const MOST_PLANS = 5;

/** Why there is no offer after so many plans. */
export const TOO_SLOW = 'Others took the capacity while this was planned; ask again.';

const PLACED: PlacementVerdict = { kind: 'placed', expires: new Map() };

/**
 * Answers what was considered as an ask is answered, on a fresh reading of the book. Where
 * quotas hold, the answer is really written and taken back, so that the one function that
 * judges them says what they leave.
 */
export function createRehearsal(
  database: Database,
  sandbox: RulesDecider,
  exactly: Planning,
  open: OpenAnswers,
  work: Work,
): Rehearsal {
  return async (considered, principal) => {
    const { site } = considered;
    const excess = await open.excess(site, ownerOf(principal));
    const always = guardOf(site, principal, undefined);
    let overs: readonly Refusal[] = [];
    let closed: ReadonlySet<string> = new Set();
    let excesses: readonly Excess[] = excess === undefined ? [] : [excess];
    for (let attempt = 1; attempt <= MOST_PLANS; attempt += 1) {
      const {
        now,
        planned,
        considered: of,
      } = await planWidely(sandbox, considered, butAt(closed, firstThenAll(exactly)));
      if (planned.result === 'NO')
        return {
          result: 'NO',
          now,
          refusals: withOvers(overs, [
            ...planned.refusals,
            ...beyondQuota(always, considered.asked),
          ]),
        };
      const allowed = withinQuotas(planned.proposals, excesses);
      if (!isNonEmpty(allowed) && isOnlyThere(planned.proposals, excesses)) {
        overs = [...overs, ...overQuota(planned.proposals, excesses)];
        closed = new Set([...closed, ...planned.proposals.map(({ destination }) => destination)]);
        continue;
      }
      if (!isNonEmpty(allowed))
        return {
          result: 'NO',
          now,
          refusals: withOvers(overs, [
            ...overQuota(planned.proposals, excesses),
            ...of.list.refusals(),
            ...planned.unfit,
          ]),
        };
      const isNear = await work.isNear(site, ownerOf(principal), allowed);
      const guard = withPools(
        isNear ? guardOf(site, principal, undefined, true) : always,
        of.pools,
        personOf(site.quotas, principal),
      );
      if (guard === undefined) return { result: 'YES', now, proposals: allowed };
      const record = {
        id: newAskId(),
        owner: ownerOf(principal),
        document: {},
        inputs: {},
        rulesDigest: '',
        trace: [],
        reasons: [],
      };
      const verdict = await tryOut(
        database,
        { record, proposals: withOfferIds(allowed), guard },
        now,
      );
      if (verdict.kind === 'placed') return { result: 'YES', now, proposals: allowed };
      if (verdict.kind === 'full')
        return {
          result: 'NO',
          now,
          refusals: poolsFull(considered.asked, of.pools, verdict.pools),
        };
      if (verdict.kind === 'over') excesses = [...excesses, ...verdict.excesses];
    }
    return {
      result: 'NO',
      now: 0,
      refusals: [{ code: 'no-capacity-now', place: { what: 'task' }, detail: TOO_SLOW }],
    };
  };
}

/**
 * Offers are made at the first destinations that fit: those after them need be
 * looked at only where these do not.
 */
function firstThenAll(exactly: Planning): Planning {
  return async (asked, site, list) => {
    const near = { ...list, suitable: list.suitable.slice(0, 2 * site.offers.most) };
    const found = await exactly(asked, site, near);
    const isWhole =
      near.suitable.length === list.suitable.length ||
      (found.planned.result === 'YES' && found.planned.rooms.length === site.offers.most);
    return isWhole ? found : exactly(asked, site, list);
  };
}

/** What writing an answer comes to, in a transaction that is taken back. */
async function tryOut(
  database: Database,
  placement: AnswerPlacement,
  now: Instant,
): Promise<PlacementVerdict> {
  const enough = new Error('the rehearsal is over');
  const outcome: { verdict: PlacementVerdict } = { verdict: PLACED };
  await database
    .$transaction(async (transaction) => {
      const { verdicts } = await placeAnswerIn(transaction, placement, now);
      outcome.verdict = verdicts.get(placement.record.id) ?? PLACED;
      throw enough;
    })
    .catch((error: unknown) => {
      if (error !== enough) throw error;
    });
  return outcome.verdict;
}
