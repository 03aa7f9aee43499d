import type { Principal } from '../../identity/principal.ts';
import { personOf } from '../../quotas/scopes.ts';
import type { Instant } from '../../schedule/interval.ts';
import { isNonEmpty, type NonEmpty } from '../../words/ids.ts';
import type { Considered, RulesDecider } from '../considering.ts';
import {
  neverWithinQuotas,
  refusalsOfCut,
  guardOf,
  quotaRefusals,
  withinQuotas,
  type DecisionKey,
  type Excess,
  type Guard,
} from '../guard.ts';
import { poolsFull, withPools, type FullPool } from '../judge/resource-pools.ts';
import type { Proposal } from '../offer.ts';
import type { Refusal } from '../refusal.ts';
import { planWidely, type Planned, type Planning } from './planning.ts';

type QuotaPlan = PlannedOffers | PlannedRefusal | PlannedElsewhere;

/** What quotas allow of a plan. */
export type PlannedOffers = Omit<Planned, 'planned'> & {
  readonly result: 'YES';
  readonly planned: Extract<Planned['planned'], { result: 'YES' }>;
  readonly allowed: NonEmpty<Proposal>;
  /** why other destinations that match have no offer */
  readonly whyNotMore: () => readonly Refusal[];
};

/** Why there is no offer at this time of the database. */
export type PlannedRefusal = {
  readonly result: 'NO';
  readonly now: Instant;
  readonly refusals: NonEmpty<Refusal>;
};

/** Quotas of their destinations forbid all offers; plan again, other destinations may have room. */
export type PlannedElsewhere = { readonly result: 'ELSEWHERE' };

/** An ask that is planned within its quotas; a plan knows what earlier plans found out. */
type QuotaPlanning = {
  /** the latest answer of the rules */
  readonly considered: () => Considered;
  /** @param excess a quota that one more answer exceeds; only a YES asks for it */
  readonly plan: (
    planning: Planning,
    excess?: () => Promise<Excess | undefined>,
  ) => Promise<QuotaPlan>;
  /**
   * What the transaction that writes the offers must check.
   * @param isNear may the offers pass the share of everybody?
   */
  readonly guard: (isNear: boolean) => Guard | undefined;
  /** Tells further plans what a quota forbids. */
  readonly exceed: (excesses: readonly Excess[]) => void;
  /** The NO of an ask whose resource pools are full. */
  readonly full: (pools: NonEmpty<FullPool>, now: Instant) => PlannedRefusal;
};

/**
 * A new plan reads a newer book. After this many plans of the same destinations the client is told
 * to ask again.
 */
const MOST_PLANS = 5;

/** The NO after the last plan. */
export const TOO_SLOW: NonEmpty<Refusal> = [
  {
    code: 'no-capacity-now',
    place: { what: 'task' },
    detail: 'Others took the capacity while this was planned; ask again.',
  },
];

/**
 * Plans until a plan is settled. A plan that leads elsewhere is one step further, since there are
 * fewer destinations then.
 *
 * @param settle undefined: others took what was planned
 * @returns undefined after {@link MOST_PLANS} of the same destinations
 */
export async function planUntilSettled<
  Plan extends { readonly result: 'YES' | 'NO' },
  Settled extends object,
>(
  plan: () => Promise<Plan | PlannedElsewhere>,
  settle: (found: Plan) => Promise<Settled | undefined>,
): Promise<Settled | undefined> {
  let plans = 0;
  while (plans < MOST_PLANS) {
    const found = await plan();
    if (found.result === 'ELSEWHERE') plans = 0;
    else {
      const settled = await settle(found);
      if (settled !== undefined) return settled;
      plans += 1;
    }
  }
  return undefined;
}

/** @param first what rules and site say to the ask */
export function openQuotaPlanning(
  sandbox: RulesDecider,
  first: Considered,
  principal: Principal,
  key?: DecisionKey,
): QuotaPlanning {
  const { asked, site } = first;
  const quotas = guardOf(site, principal, key);
  let considered = first;
  let excesses: readonly Excess[] = [];
  /** destinations whose own quota forbids the ask, and why */
  let closed: ReadonlySet<string> = new Set();
  let whyClosed: readonly Refusal[] = [];

  function no(refusals: NonEmpty<Refusal>, now: Instant): PlannedRefusal {
    // Quotas closed destinations, so "no destination" alone would mislead.
    const others =
      closed.size === 0 ? refusals : refusals.filter(({ code }) => code !== 'no-destination');
    const all = [...whyClosed, ...others];
    return { result: 'NO', now, refusals: isNonEmpty(all) ? all : refusals };
  }

  return {
    considered: () => considered,
    plan: async (planning, excess) => {
      const found = await planWidely(sandbox, considered, without(closed, planning));
      const { now, planned } = found;
      ({ considered } = found);
      if (planned.result === 'NO')
        return no([...planned.refusals, ...neverWithinQuotas(quotas, asked)], now);
      const { proposals, unfit } = planned;
      const more = await excess?.();
      if (more !== undefined) excesses = [...excesses, more];
      const allowed = withinQuotas(proposals, excesses);
      if (isNonEmpty(allowed)) {
        const { list } = considered;
        const cut = refusalsOfCut(proposals, excesses);
        const whyNotMore = () => [...list.passedOver(), ...unfit, ...cut];
        return { result: 'YES', now, planned, isRead: found.isRead, allowed, whyNotMore };
      }
      const over = quotaRefusals(proposals, excesses);
      if (!areOnlyThere(proposals, excesses))
        return no([...over, ...considered.list.refusals(), ...unfit], now);
      whyClosed = [...whyClosed, ...over];
      closed = new Set([...closed, ...proposals.map(({ destination }) => destination)]);
      return { result: 'ELSEWHERE' };
    },
    guard: (isNear) =>
      withPools(
        isNear ? guardOf(site, principal, key, true) : quotas,
        considered.pools,
        personOf(site.quotas, principal),
      ),
    exceed: (more) => {
      excesses = [...excesses, ...more];
    },
    full: (pools, now) => ({
      result: 'NO',
      now,
      refusals: poolsFull(asked, considered.pools, pools),
    }),
  };
}

/** Plans at the destinations that are not closed. */
function without(closed: ReadonlySet<string>, planning: Planning): Planning {
  return closed.size === 0
    ? planning
    : (asked, site, list) =>
        planning(asked, site, {
          ...list,
          suitable: list.suitable.filter(({ id }) => !closed.has(id)),
        });
}

/** Does a quota of its own destination forbid each proposal? Then others may have room. */
function areOnlyThere(proposals: readonly Proposal[], excesses: readonly Excess[]): boolean {
  return proposals.every(({ destination }) =>
    excesses.some((one) => one.destination === destination),
  );
}
