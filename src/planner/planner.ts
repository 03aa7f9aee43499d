import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import type { Database } from '../db/client.ts';
import { ownerOf, type Principal } from '../identity/principal.ts';
import { personOf } from '../quotas/scopes.ts';
import type { Forecasts } from '../schedule/forecasts.ts';
import type { Site } from '../site/site.ts';
import type { RefusalCode } from '../words/catalogue.ts';
import { isNonEmpty, type AskId, type NonEmpty, type OfferId } from '../words/ids.ts';
import type { Ask } from './ask.ts';
import { summaryOf } from './plan/book-summary.ts';
import { considerAsk, traceOf, type Considered, type RulesDecider } from './considering.ts';
import { replay, type Replay } from './explain/explain.ts';
import type { KeptAsk } from './record/kept-ask.ts';
import type { AskRecord, NumberedProposal } from './record/ledger.ts';
import { butAt, isOnlyThere, withOvers } from './plan/other-destinations.ts';
import { beyondQuota, cutBy, guardOf, keyMismatch, overQuota, withinQuotas, type DecisionKey, type Excess, type PlacementVerdict } from './guard.ts';
import { withinCredential } from './plan/credential-lifetime.ts';
import type { NearestAsk } from './nearest/nearest.ts';
import { newAskId, withOfferIds } from './record/number-offers.ts';
import { withFoundObjects } from './record/named-objects.ts';
import { createOpenAnswers } from './record/open-answers.ts';
import { createOutlook } from './plan/outlook.ts';
import { createPlacer } from './record/placer.ts';
import { createPlanning } from './plan/planning.ts';
import { groupedReasons, type Reason, type Wording } from './reasons.ts';
import { sizeQuantity, type Refusal } from './refusal.ts';
import { poolsFull, withPools } from './judge/resource-pools.ts';
import { createRehearsal, TOO_SLOW, type Rehearsed } from './plan/rehearsal.ts';
import { openTraces } from './record/traces.ts';
import { createEventLoopYield } from './event-loop.ts';
import { planWidely } from './plan/widening.ts';
import { createWork } from './record/work.ts';
import { createAdvice, type AdviceBounds, type Revise } from './nearest/advice.ts';

/** The answer to an ask, written in the book. */
export type Answer =
  | { readonly result: 'YES'; readonly ask: AskId; readonly now: number; readonly offers: NonEmpty<NumberedProposal> }
  | { readonly result: 'NO'; readonly ask: AskId; readonly reasons: readonly Reason[]; readonly nearest: NearestAsk | undefined };

/** The key of the ask was used before: what it became. */
export type Repeated = { readonly result: 'AGAIN'; readonly ask: AskId };

/** What an answer would be, and for a NO what would make it YES. */
export type RehearsalAnswer = Extract<Rehearsed, { result: 'YES' }> | (Extract<Rehearsed, { result: 'NO' }> & { readonly nearest: NearestAsk | undefined });

export type AskOptions = {
  /** how its dialect says where things stand in it */
  readonly wording: Wording;
  /** what the client sent, which is kept */
  readonly document?: unknown;
  readonly key?: DecisionKey | undefined;
  /** says the ask otherwise; without it a NO has no `nearest` */
  readonly revise?: Revise | undefined;
};

export type Planner = {
  /** Answers an ask that was understood. */
  ask(ask: Ask, principal: Principal, options: AskOptions): Promise<Answer | Repeated>;
  /** Says what the answer would be; nothing is held or kept. */
  rehearse(ask: Ask, principal: Principal, revise?: Revise): Promise<RehearsalAnswer>;
  /** Makes a kept decision again; nothing is held or kept. */
  replay(kept: KeptAsk): Promise<Replay>;
  /** Answers NO to one that was not, and keeps the record. */
  refuse(refusals: NonEmpty<Refusal>, principal: Principal, options: Omit<AskOptions, 'revise'>): Promise<Answer | Repeated>;
};

export type PlannerParts = {
  readonly database: Database;
  readonly sandbox: RulesDecider;
  readonly site: () => Site;
  readonly log: Logger;
  /** called once for every answer, with the codes of a NO */
  readonly count: (result: 'YES' | 'NO', codes: readonly RefusalCode[], seconds: number) => void;
  /** milliseconds since 1970, for the rules that ask for the time */
  readonly clock: () => number;
  /** what engines say of their queues, as it was last read; nothing when absent */
  readonly forecasts?: () => Forecasts;
  /** what is short on the discs that jobs and the book are on, MiB; there is always enough when absent */
  readonly disc?: () => Promise<{ readonly free: number; readonly least: number } | undefined>;
  /** how long a NO may look for what would make it YES */
  readonly advice?: AdviceBounds;
};

/** Somebody else may take the capacity between reading and writing; each new plan is made on a newer book. */
const MOST_PLANS = 5;

const sha256 = (text: string): string => hash('sha256', text, 'base64url');

/** @throws Problem `idempotency-mismatch` (422) */
const decidedBefore = (verdict: Extract<PlacementVerdict, { kind: 'replay' | 'mismatch' }>): Repeated => {
  if (verdict.kind === 'mismatch') throw keyMismatch();
  return { result: 'AGAIN', ask: verdict.ask };
};

const expiring = ([first, ...rest]: NonEmpty<NumberedProposal>, expires: ReadonlyMap<OfferId, number>): NonEmpty<NumberedProposal> => {
  const shortened = (one: NumberedProposal): NumberedProposal => ({ ...one, expiresAt: expires.get(one.id) ?? one.expiresAt });
  return [shortened(first), ...rest.map(shortened)];
};

/** The planner: rules first (in the sandbox), then the book, then one transaction that writes the answer. */
export const createPlanner = ({ database, sandbox, site, log, count, clock, forecasts, disc, advice }: PlannerParts): Planner => {
  const monotonic = (): number => performance.now();
  const outlook = createOutlook(monotonic);
  const turns = createEventLoopYield();
  const placer = createPlacer(database, outlook, openTraces(monotonic, sha256));
  const planning = createPlanning(database, outlook, forecasts);
  const open = createOpenAnswers(database, monotonic);
  const work = createWork(database, monotonic);
  const tryOut = createRehearsal(database, sandbox, planning.exactly, open, work);
  const advise = createAdvice({ database, sandbox, rehearse: tryOut, clock: monotonic, ...(advice && { bounds: advice }) });

  const settle = (record: AskRecord, outcome: Answer, begun: number): Answer => {
    const codes = outcome.result === 'NO' ? [...new Set(outcome.reasons.map(({ code }) => code))] : [];
    const ms = performance.now() - begun;
    count(outcome.result, codes, ms / 1000);
    const offers = outcome.result === 'YES' ? outcome.offers.map(({ id }) => id) : [];
    log.info({ ask: record.id, owner: record.owner, result: outcome.result, offers, reasons: codes, ms }, 'answered');
    return outcome;
  };

  const refuseWith = async (record: AskRecord, refusals: NonEmpty<Refusal>, begun: number, { key, wording }: Pick<AskOptions, 'key' | 'wording'>): Promise<Answer | Repeated> => {
    const guard = key === undefined ? undefined : { scopes: [], key };
    const reasons = groupedReasons(refusals, wording);
    const verdict = await placer.place({ record: { ...record, reasons }, proposals: [], guard });
    if (verdict.kind === 'replay' || verdict.kind === 'mismatch') return decidedBefore(verdict);
    // Those of a batch are all written at once, and are yet to be printed.
    await turns.next();
    return settle(record, { result: 'NO', ask: record.id, reasons, nearest: record.nearest }, begun);
  };

  const consider = async (understood: Ask, principal: Principal, id: AskId): Promise<Considered> => {
    const asked = await withFoundObjects(database, understood, ownerOf(principal));
    const current = await open.terms(withinCredential(site(), principal, clock()), ownerOf(principal));
    return considerAsk({ database, sandbox }, asked, current, principal, { seed: Number.parseInt(id.slice(-8), 16), now: clock() });
  };

  /** Nothing helps but room: whatever else would be a reason is not looked for. */
  const full = async (): Promise<NonEmpty<Refusal> | undefined> => {
    const short = await disc?.();
    return short && [{ code: 'disc-nearly-full', place: { what: 'task' }, limit: sizeQuantity(short.free), detail: [sizeQuantity(Math.ceil(short.least)), ' are kept free.'] }];
  };

  const answer = async (id: AskId, understood: Ask, principal: Principal, options: AskOptions): Promise<Answer | Repeated> => {
    const { document = null, key, revise, wording } = options;
    const begun = performance.now();
    const owner = ownerOf(principal);
    let considered = await consider(understood, principal, id);
    const stopped = await full();
    // A NO, whose reasons are many.
    if (considered.list.suitable.length === 0) await turns.next();
    const recordOf = (of: Considered): AskRecord =>
      ({ id, owner, document, inputs: of.inputs, rulesDigest: of.rulesDigest, reasons: [], ...traceOf(of) });
    if (stopped !== undefined) return refuseWith(recordOf(considered), stopped, begun, options);
    const no = async (refusals: NonEmpty<Refusal>, now: number): Promise<Answer | Repeated> =>
      refuseWith({ ...recordOf(considered), nearest: await advise(considered, principal, { refusals, now, revise }) }, refusals, begun, options);
    const always = guardOf(considered.site, principal, key);
    let excesses: readonly Excess[] = [];
    let overs: readonly Refusal[] = [];
    let closed: ReadonlySet<string> = new Set();
    for (let attempt = 1; attempt <= MOST_PLANS; attempt += 1) {
      const found = await planWidely(sandbox, considered, butAt(closed, attempt === 1 ? planning.quickly : planning.exactly));
      const { now, planned, isRead } = found;
      ({ considered } = found);
      if (planned.result === 'NO') return no(withOvers(overs, [...planned.refusals, ...beyondQuota(always, considered.asked)]), now);
      const excess = attempt === 1 ? await open.take(considered.site, owner, id) : undefined;
      if (excess !== undefined) excesses = [excess];
      const allowed = withinQuotas(planned.proposals, excesses);
      if (!isNonEmpty(allowed) && isOnlyThere(planned.proposals, excesses)) {
        overs = [...overs, ...overQuota(planned.proposals, excesses)];
        closed = new Set([...closed, ...planned.proposals.map(({ destination }) => destination)]);
        continue;
      }
      if (!isNonEmpty(allowed)) return no(withOvers(overs, [...overQuota(planned.proposals, excesses), ...considered.list.refusals(), ...planned.unfit]), now);
      const offers = withOfferIds(allowed);
      const inputs = { ...considered.inputs, book: summaryOf(now, planned.rooms, isRead) };
      const record = { ...recordOf(considered), inputs, reasons: groupedReasons([...considered.list.passedOver(), ...planned.unfit, ...cutBy(planned.proposals, excesses)], wording) };
      const { site: terms, pools } = considered;
      const verdict = await work.place(terms, owner, offers, (near) =>
        placer.place({ record, proposals: offers, guard: withPools(near ? guardOf(terms, principal, key, true) : always, pools, personOf(terms.quotas, principal)) }));
      switch (verdict.kind) {
        case 'placed':
          open.keep(owner, id, Math.max(...offers.map(({ expiresAt }) => expiresAt)) - now);
          return settle(record, { result: 'YES', ask: id, now, offers: expiring(offers, verdict.expires) }, begun);
        case 'over':
          excesses = [...excesses, ...verdict.excesses];
          break;
        case 'conflict':
          break;
        case 'full':
          return no(poolsFull(considered.asked, pools, verdict.pools), now);
        default:
          return decidedBefore(verdict);
      }
    }
    return refuseWith(recordOf(considered), [{ code: 'no-capacity-now', place: { what: 'task' }, detail: TOO_SLOW }], begun, options);
  };

  const ask = async (understood: Ask, principal: Principal, options: AskOptions): Promise<Answer | Repeated> => {
    const id = newAskId();
    return answer(id, understood, principal, options).finally(() => open.settle(ownerOf(principal), id));
  };

  const rehearse = async (understood: Ask, principal: Principal, revise?: Revise): Promise<RehearsalAnswer> => {
    const stopped = await full();
    if (stopped !== undefined) return { result: 'NO', now: clock(), refusals: stopped, nearest: undefined };
    const considered = await consider(understood, principal, newAskId());
    const outcome = await tryOut(considered, principal);
    log.info({ owner: ownerOf(principal), result: outcome.result }, 'rehearsed');
    return outcome.result === 'YES' ? outcome : { ...outcome, nearest: await advise(considered, principal, { ...outcome, revise }) };
  };

  const refuse = (refusals: NonEmpty<Refusal>, principal: Principal, options: Omit<AskOptions, 'revise'>): Promise<Answer | Repeated> => {
    const record: AskRecord = {
      id: newAskId(), owner: ownerOf(principal), document: options.document ?? null, inputs: null, rulesDigest: sandbox.stats().digest ?? '', trace: [], reasons: [],
    };
    return refuseWith(record, refusals, performance.now(), options);
  };

  return { ask, rehearse, refuse, replay: (kept) => replay(sandbox, kept) };
};
