import type { RulesInForce } from '../../sandbox/sandbox.ts';
import type { Amount } from '../../schedule/amount.ts';
import { envelope } from '../../schedule/envelope.ts';
import type { AskId } from '../../words/ids.ts';
import { printInstant } from '../../words/iso8601.ts';
import type { Guard } from '../guard.ts';
import { spaceOf, storedUntil } from '../plan/stored.ts';
import type { NearestAsk } from '../nearest/nearest.ts';
import type { Promised } from '../offer.ts';
import { spanOf } from '../plan/windows.ts';
import type { Reason } from '../reasons.ts';
import { keptNearest, pack } from './kept-reasons.ts';
import type { NumberedProposal } from './offer-ids.ts';
import { sharingWith } from './shared-parts.ts';
import type { KeptTrace } from './traces.ts';

/** What is kept of every ask, so that its decision can be explained and replayed. */
export type AskRecord = {
  readonly id: AskId;
  readonly owner: string;
  /** what the client sent; null if that was no document */
  readonly document: unknown;
  /** what the client calls the task */
  readonly name?: string | undefined;
  readonly inputs: unknown;
  readonly rulesDigest: string;
  readonly trace: unknown;
  /** they complete the trace; kept once for all asks */
  readonly rules?: RulesInForce;
  /** of a NO, or why destinations that match have no offer of a YES */
  readonly reasons: readonly Reason[];
  /** what would have been a YES */
  readonly nearest?: NearestAsk | undefined;
};

/** A decision to be written; a NO has no proposals. */
export type AnswerPlacement = {
  readonly record: AskRecord;
  readonly proposals: readonly NumberedProposal[];
  readonly guard?: Guard | undefined;
};

/** An answer as JSON, one text for each row; `ask` says how many bytes all of them take. */
type Rows = {
  readonly ask: string;
  readonly offers: readonly string[];
  readonly holds: readonly string[];
};

/** Does an answer hold storage? Then it is written in a transaction of its own. */
export function holdsStorage({ proposals }: AnswerPlacement): boolean {
  return proposals.some(({ promised }) =>
    promised.storage.some((item) => item.kind === 'managed' && item.lifetime !== undefined),
  );
}

/** The rows of an answer. @param trace the steps that led to it; undefined: none are kept */
export function rowsOf(placement: AnswerPlacement, trace: KeptTrace | undefined): Rows {
  const {
    record: { id, owner, document },
    proposals,
  } = placement;
  const ask = JSON.stringify(askRow(placement, trace?.key));
  const kept = sharingWith(document, ask.length);
  const offers = proposals.map((one, place) =>
    JSON.stringify({ ask: id, owner, ...offerRow(one, place, kept) }),
  );
  const holds = holdsOf(proposals).map((hold) => JSON.stringify({ ask: id, ...hold }));
  const bytes = bytesOf([ask, ...offers, ...holds, trace?.steps ?? '']);
  return { ask: `${ask.slice(0, -1)},"bytes":${bytes}}`, offers, holds };
}

/**
 * What must be held of the site's storage so that any one of the proposals can be accepted: at every
 * instant no more than the largest of those that cover it, since others may have the time between.
 */
export function storedOf(proposals: readonly NumberedProposal[]) {
  const needs = proposals.flatMap((one) => {
    const { start, end } = spanOf(one);
    return [...storedUntil(one.promised.storage, end)].map(([store, needed]) => ({
      store,
      during: { start, end: needed.end },
      amount: spaceOf(needed.size),
    }));
  });
  return [...Map.groupBy(needs, ({ store }) => store)].flatMap(([store, alternatives]) =>
    envelope(alternatives).map(({ during, amount }) => ({
      store,
      size: amount.scratch,
      startsAt: printInstant(during.start),
      endsAt: printInstant(during.end),
    })),
  );
}

function askRow({ record, proposals, guard }: AnswerPlacement, traceKey: string | undefined) {
  return {
    id: record.id,
    owner: record.owner,
    name: record.name,
    result: proposals.length > 0 ? 'YES' : 'NO',
    document: record.document,
    inputs: record.inputs,
    rulesDigest: record.rulesDigest,
    traceKey,
    reasons: {
      ...pack(record.reasons, record.rules?.admissions.places),
      nearest: record.nearest && keptNearest(record.nearest),
    },
    guard,
  };
}

function offerRow(one: NumberedProposal, place: number, kept: (promised: Promised) => object) {
  return {
    id: one.id,
    place,
    destination: one.destination,
    runner: one.runner,
    promise: kept(one.promised),
    ...columns(one.amount),
    expiresAt: printInstant(one.expiresAt),
    startsAt: printInstant(one.startsAt),
    durationS: one.duration,
    prepareS: one.prepare,
    startWindowS: one.startWindow,
    releaseS: one.release,
    results: one.resultPool === undefined ? 0 : (one.promised.results ?? 0),
  };
}

function columns({ cores, memory, scratch, gpus }: Amount) {
  return { cores, memory, scratch, gpuType: gpus?.type ?? null, gpus: gpus?.count ?? 0 };
}

/** The first holds of an answer also say what it holds for results. */
function holdsOf(proposals: readonly NumberedProposal[]) {
  const left = [...resultHoldsOf(proposals)];
  return capacityHoldsOf(proposals).map((hold, index) => {
    const [pool, results] = left[index] ?? [];
    return pool === undefined ? hold : { ...hold, pool, results };
  });
}

/** What must be held of each pool of results: the largest of the alternatives. */
function resultHoldsOf(proposals: readonly NumberedProposal[]): ReadonlyMap<string, number> {
  const pools = new Map<string, number>();
  for (const {
    resultPool: pool,
    promised: { results = 0 },
  } of proposals) {
    if (pool !== undefined) pools.set(pool, Math.max(pools.get(pool) ?? 0, results));
  }
  return pools;
}

function capacityHoldsOf(proposals: readonly NumberedProposal[]) {
  return [...Map.groupBy(proposals, ({ destination }) => destination)].flatMap(
    ([destination, alternatives]) => {
      const expiresAt = Math.max(...alternatives.map((one) => one.expiresAt));
      return envelope(alternatives.map((one) => ({ during: spanOf(one), amount: one.amount }))).map(
        ({ during, amount }) => ({
          destination,
          startsAt: printInstant(during.start),
          endsAt: printInstant(during.end),
          expiresAt: printInstant(expiresAt),
          ...columns(amount),
        }),
      );
    },
  );
}

function bytesOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}
