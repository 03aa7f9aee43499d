import { ownerOf } from '../identity/principal.ts';
import type { Instant } from '../schedule/interval.ts';
import type { AskId, NonEmpty, OfferId } from '../words/ids.ts';
import type { Answer, AnswerWriter, AskRequest, Repeated } from './answer-writer.ts';
import { traceOf, type Considered, type RulesDecider } from './considering.ts';
import type { Advice } from './nearest/advice.ts';
import { summaryOf } from './plan/book-summary.ts';
import type { Plannings } from './plan/planning.ts';
import {
  openQuotaPlanning,
  TOO_SLOW,
  type PlannedElsewhere,
  type PlannedOffers,
} from './plan/quota-plan.ts';
import { groupedReasons } from './reasons.ts';
import type { AskRecord } from './record/answer-rows.ts';
import { withOfferIds, type NumberedProposal } from './record/offer-ids.ts';
import type { OpenAnswers } from './record/open-answers.ts';
import type { Work } from './record/work.ts';
import type { Refusal } from './refusal.ts';

/** An ask that is being decided. */
export type AskDecision = {
  /** What could be offered now; every plan but the first reads the book. */
  readonly plan: () => Promise<DecisionPlan>;
  /** Writes the offers of a plan, unless somebody else was faster. */
  readonly offer: (
    plan: PlannedOffers,
  ) => Promise<Answer | Repeated | { readonly result: 'CONFLICT' }>;
  /** Writes a NO with the nearest ask that would be a YES. */
  readonly refuse: (plan: DecisionRefusal) => Promise<Answer | Repeated>;
  /** Writes a NO after the last plan. */
  readonly giveUp: () => Promise<Answer | Repeated>;
  /** Must be called when the ask is answered or has failed. */
  readonly close: () => void;
};

type DecisionPlan = PlannedOffers | DecisionRefusal | PlannedElsewhere;

/** `now` is undefined if no other ask can help, so that nobody looks for one. */
type DecisionRefusal = {
  readonly result: 'NO';
  readonly now: Instant | undefined;
  readonly refusals: NonEmpty<Refusal>;
};

type DecisionParts = {
  readonly sandbox: RulesDecider;
  readonly planning: Plannings;
  readonly advise: Advice;
  readonly open: OpenAnswers;
  readonly work: Work;
  readonly writer: AnswerWriter;
};

export function openDecision(
  { sandbox, planning, advise, open, work, writer }: DecisionParts,
  { id, begun, first, stopped }: DecisionStart,
  request: AskRequest,
): AskDecision {
  const { principal, asking, key, revise } = request;
  const { site } = first;
  const owner = ownerOf(principal);
  const quotaPlanning = openQuotaPlanning(sandbox, first, principal, key);
  let isFirst = true;

  const record = (): AskRecord => {
    const { inputs, rulesDigest, ...considered } = quotaPlanning.considered();
    const { document, name } = asking;
    return { id, owner, document, name, inputs, rulesDigest, reasons: [], ...traceOf(considered) };
  };

  async function plan(): Promise<DecisionPlan> {
    if (stopped !== undefined) return { result: 'NO', refusals: stopped, now: undefined };
    if (!isFirst) return quotaPlanning.plan(planning.anew);
    isFirst = false;
    return quotaPlanning.plan(planning.quickly, () => open.take(site, owner, id));
  }

  async function offer(plan: PlannedOffers): ReturnType<AskDecision['offer']> {
    const { now, planned, isRead, allowed, whyNotMore } = plan;
    const offers = withOfferIds(allowed);
    const { inputs } = quotaPlanning.considered();
    const yes: AskRecord = {
      ...record(),
      inputs: { ...inputs, book: summaryOf(now, planned.rooms, isRead) },
      reasons: groupedReasons(whyNotMore(), asking),
    };
    const verdict = await work.place(site, owner, offers, (isNear) =>
      writer.place({ record: yes, proposals: offers, guard: quotaPlanning.guard(isNear) }),
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
        quotaPlanning.exceed(verdict.excesses);
        return { result: 'CONFLICT' };
      case 'conflict':
        return { result: 'CONFLICT' };
      case 'full':
        return refuse(quotaPlanning.full(verdict.pools, now));
      case 'replay':
        return { result: 'AGAIN', ask: verdict.ask };
      default:
        return verdict satisfies never;
    }
  }

  async function refuse({ refusals, now }: DecisionRefusal): Promise<Answer | Repeated> {
    const nearest =
      now === undefined
        ? undefined
        : await advise(quotaPlanning.considered(), principal, { refusals, now, revise });
    return writer.refuse({ ...record(), nearest }, refusals, begun, request);
  }

  return {
    plan,
    offer,
    refuse,
    giveUp: () => refuse({ result: 'NO', refusals: TOO_SLOW, now: undefined }),
    close: () => open.settle(owner, id),
  };
}

/** What is known of a decision before its first plan. */
type DecisionStart = {
  readonly id: AskId;
  /** by the monotonic clock, milliseconds */
  readonly begun: number;
  /** what rules and site say to the ask */
  readonly first: Considered;
  /** why the service makes no offers now, whatever they say */
  readonly stopped: NonEmpty<Refusal> | undefined;
};

/** Offers with the times of expiry that the database wrote. */
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
