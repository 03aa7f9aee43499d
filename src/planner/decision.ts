import { ownerOf } from '../identity/principal.ts';
import { personOf } from '../quotas/scopes.ts';
import type { Instant } from '../schedule/interval.ts';
import { isNonEmpty, type AskId, type NonEmpty, type OfferId } from '../words/ids.ts';
import type { Answer, AnswerWriter, AskRequest, Repeated } from './answer-writer.ts';
import { traceOf, type Considered, type RulesDecider } from './considering.ts';
import { beyondQuota, cutBy, guardOf, overQuota, withinQuotas, type Excess } from './guard.ts';
import { poolsFull, withPools } from './judge/resource-pools.ts';
import type { Advice } from './nearest/advice.ts';
import type { Proposal } from './offer.ts';
import type { Plan } from './plan/answer.ts';
import { summaryOf } from './plan/book-summary.ts';
import { butAt, isOnlyThere, withOvers } from './plan/other-destinations.ts';
import type { createPlanning, Planned } from './plan/planning.ts';
import { TOO_SLOW } from './plan/rehearsal.ts';
import { planWidely } from './plan/widening.ts';
import { groupedReasons } from './reasons.ts';
import type { AskRecord, NumberedProposal } from './record/ledger.ts';
import { withOfferIds } from './record/number-offers.ts';
import type { OpenAnswers } from './record/open-answers.ts';
import type { Work } from './record/work.ts';
import type { Refusal } from './refusal.ts';

/** One ask on its way to an answer. */
export type AskDecision = {
  /** What could be offered now, by the book as it is; each further plan reads it exactly. */
  readonly plan: () => Promise<DecisionPlan>;
  /** Writes the offers of a plan, unless somebody else took their capacity meanwhile. */
  readonly offer: (
    plan: PlannedOffers,
  ) => Promise<Answer | Repeated | { readonly result: 'CONFLICT' }>;
  /** Writes a NO, with the nearest ask that would be a YES. */
  readonly refuse: (plan: PlannedRefusal) => Promise<Answer | Repeated>;
  /** Writes a NO after the last plan. */
  readonly giveUp: () => Promise<Answer | Repeated>;
  /** To be called once it is answered, or failed. */
  readonly close: () => void;
};

export type DecisionPlan = PlannedOffers | PlannedRefusal | PlannedElsewhere;

/** What quotas allow of a plan. */
export type PlannedOffers = Planned & {
  readonly result: 'YES';
  readonly planned: Extract<Plan, { result: 'YES' }>;
  readonly allowed: NonEmpty<Proposal>;
};

/** `now` is undefined where no other ask helps, so that none is looked for. */
export type PlannedRefusal = {
  readonly result: 'NO';
  readonly refusals: NonEmpty<Refusal>;
  readonly now: Instant | undefined;
};

/** A quota of their destinations leaves none of the offers; others may have room. */
export type PlannedElsewhere = { readonly result: 'ELSEWHERE' };

export type DecisionParts = {
  readonly sandbox: RulesDecider;
  readonly planning: ReturnType<typeof createPlanning>;
  readonly advise: Advice;
  readonly open: OpenAnswers;
  readonly work: Work;
  readonly writer: AnswerWriter;
};

/**
 * @param first what rules and site say to the ask
 * @param stopped why nothing is offered, whatever they say
 */
export function openDecision(
  { sandbox, planning, advise, open, work, writer }: DecisionParts,
  { id, begun, first, stopped }: DecisionStart,
  request: AskRequest,
): AskDecision {
  const { principal, asking, key, revise } = request;
  const owner = ownerOf(principal);
  const always = guardOf(first.site, principal, key);
  let considered = first;
  let plans = 0;
  /** quotas that would be exceeded, as far as writing found out */
  let excesses: readonly Excess[] = [];
  /** of destinations that are left out for a quota of their own: why, and which they are */
  let overs: readonly Refusal[] = [];
  let closed: ReadonlySet<string> = new Set();

  const record = (): AskRecord => ({
    id,
    owner,
    document: asking.document,
    inputs: considered.inputs,
    rulesDigest: considered.rulesDigest,
    reasons: [],
    ...traceOf(considered),
  });

  async function plan(): Promise<DecisionPlan> {
    if (stopped !== undefined) return { result: 'NO', refusals: stopped, now: undefined };
    plans += 1;
    const isFirst = plans === 1;
    const found = await planWidely(
      sandbox,
      considered,
      butAt(closed, isFirst ? planning.quickly : planning.exactly),
    );
    const { now, planned, isRead } = found;
    ({ considered } = found);
    const no = (refusals: NonEmpty<Refusal>): PlannedRefusal => ({
      result: 'NO',
      refusals: withOvers(overs, refusals),
      now,
    });
    if (planned.result === 'NO')
      return no([...planned.refusals, ...beyondQuota(always, considered.asked)]);
    const excess = isFirst ? await open.take(considered.site, owner, id) : undefined;
    if (excess !== undefined) excesses = [excess];
    const { proposals, unfit } = planned;
    const allowed = withinQuotas(proposals, excesses);
    if (isNonEmpty(allowed)) return { result: 'YES', now, planned, isRead, allowed };
    if (!isOnlyThere(proposals, excesses))
      return no([...overQuota(proposals, excesses), ...considered.list.refusals(), ...unfit]);
    overs = [...overs, ...overQuota(proposals, excesses)];
    closed = new Set([...closed, ...proposals.map(({ destination }) => destination)]);
    return { result: 'ELSEWHERE' };
  }

  async function offer({
    now,
    planned,
    isRead,
    allowed,
  }: PlannedOffers): ReturnType<AskDecision['offer']> {
    const { site, pools, list, inputs } = considered;
    const offers = withOfferIds(allowed);
    const whyNotMore = [
      ...list.passedOver(),
      ...planned.unfit,
      ...cutBy(planned.proposals, excesses),
    ];
    const yes: AskRecord = {
      ...record(),
      inputs: { ...inputs, book: summaryOf(now, planned.rooms, isRead) },
      reasons: groupedReasons(whyNotMore, asking),
    };
    const person = personOf(site.quotas, principal);
    const verdict = await work.place(site, owner, offers, (near) =>
      writer.place({
        record: yes,
        proposals: offers,
        guard: withPools(near ? guardOf(site, principal, key, true) : always, pools, person),
      }),
    );
    switch (verdict.kind) {
      case 'placed':
        open.keep(owner, id, Math.max(...offers.map(({ expiresAt }) => expiresAt)) - now);
        return writer.settle(
          yes,
          { result: 'YES', ask: id, now, offers: expiring(offers, verdict.expires) },
          begun,
        );
      case 'over':
        excesses = [...excesses, ...verdict.excesses];
        return { result: 'CONFLICT' };
      case 'conflict':
        return { result: 'CONFLICT' };
      case 'full':
        return refuse({
          result: 'NO',
          refusals: poolsFull(considered.asked, pools, verdict.pools),
          now,
        });
      case 'replay':
        return { result: 'AGAIN', ask: verdict.ask };
      default:
        return verdict satisfies never;
    }
  }

  async function refuse({ refusals, now }: PlannedRefusal): Promise<Answer | Repeated> {
    const nearest =
      now === undefined
        ? undefined
        : await advise(considered, principal, { refusals, now, revise });
    return writer.refuse({ ...record(), nearest }, refusals, begun, request);
  }

  return {
    plan,
    offer,
    refuse,
    giveUp: () =>
      refuse({
        result: 'NO',
        refusals: [{ code: 'no-capacity-now', place: { what: 'task' }, detail: TOO_SLOW }],
        now: undefined,
      }),
    close: () => open.settle(owner, id),
  };
}

/** What there is of a decision before its first plan. */
export type DecisionStart = {
  readonly id: AskId;
  /** by the monotonic clock, milliseconds */
  readonly begun: number;
  readonly first: Considered;
  readonly stopped: NonEmpty<Refusal> | undefined;
};

/** Offers with the time until which they were really written. */
function expiring(
  [first, ...rest]: NonEmpty<NumberedProposal>,
  expires: ReadonlyMap<OfferId, Instant>,
): NonEmpty<NumberedProposal> {
  const shortened = (one: NumberedProposal): NumberedProposal => ({
    ...one,
    expiresAt: expires.get(one.id) ?? one.expiresAt,
  });
  return [shortened(first), ...rest.map(shortened)];
}
