import type { Logger } from 'pino';
import type { Principal } from '../identity/principal.ts';
import type { RefusalCode } from '../words/catalogue.ts';
import type { AskId, NonEmpty } from '../words/ids.ts';
import type { Asking } from './dialect.ts';
import type { EventLoopYield } from './event-loop.ts';
import { keyMismatch, type DecisionKey, type PlacementVerdict } from './guard.ts';
import type { Revise } from './nearest/advice.ts';
import type { NearestAsk } from './nearest/nearest.ts';
import { groupedReasons, type Reason } from './reasons.ts';
import type { AnswerPlacement, AskRecord } from './record/answer-rows.ts';
import type { NumberedProposal } from './record/offer-ids.ts';
import type { Placer } from './record/placer.ts';
import type { Refusal } from './refusal.ts';

/** The answer to an ask, as it is in the book. */
export type Answer =
  | {
      readonly result: 'YES';
      readonly ask: AskId;
      readonly now: number;
      readonly offers: NonEmpty<NumberedProposal>;
    }
  | {
      readonly result: 'NO';
      readonly ask: AskId;
      readonly reasons: readonly Reason[];
      readonly nearest: NearestAsk | undefined;
    };

/** The key was used before; this is the ask that it became. */
export type Repeated = { readonly result: 'AGAIN'; readonly ask: AskId };

/** Who asks, in which words, and with which options. */
export type AskRequest = {
  readonly principal: Principal;
  readonly asking: Pick<Asking, 'document' | 'name' | 'pathOf' | 'amountOf'>;
  readonly key?: DecisionKey | undefined;
  /** reads changed asks; without it a NO has no `nearest` */
  readonly revise?: Revise | undefined;
};

/** Writes answers in the book, counts them and logs them. */
export type AnswerWriter = {
  /** @throws Problem `idempotency-mismatch` (422) */
  readonly place: (
    placement: AnswerPlacement,
  ) => Promise<Exclude<PlacementVerdict, { kind: 'mismatch' }>>;
  /** Writes a NO. @throws Problem `idempotency-mismatch` (422) */
  readonly refuse: (
    record: AskRecord,
    refusals: NonEmpty<Refusal>,
    begun: number,
    request: AskRequest,
  ) => Promise<Answer | Repeated>;
  /**
   * Must be called with every answer that is written.
   * @param begun monotonic, milliseconds
   */
  readonly settle: (record: AskRecord, answer: Answer, begun: number) => Answer;
};

export type AnswerWriterParts = {
  readonly placer: Placer;
  readonly turns: EventLoopYield;
  readonly log: Logger;
  readonly count: (result: 'YES' | 'NO', codes: readonly RefusalCode[], seconds: number) => void;
};

export function openAnswerWriter({ placer, turns, log, count }: AnswerWriterParts): AnswerWriter {
  async function place(placement: AnswerPlacement): ReturnType<AnswerWriter['place']> {
    const verdict = await placer.place(placement);
    if (verdict.kind === 'mismatch') throw keyMismatch();
    return verdict;
  }

  function settle(record: AskRecord, answer: Answer, begun: number): Answer {
    const codes =
      answer.result === 'NO' ? [...new Set(answer.reasons.map(({ code }) => code))] : [];
    const ms = performance.now() - begun;
    count(answer.result, codes, ms / 1000);
    const offers = answer.result === 'YES' ? answer.offers.map(({ id }) => id) : [];
    log.info(
      { ask: record.id, owner: record.owner, result: answer.result, offers, reasons: codes, ms },
      'answered',
    );
    return answer;
  }

  return {
    place,
    settle,
    refuse: async (record, refusals, begun, { key, asking }) => {
      const reasons = groupedReasons(refusals, asking);
      const guard = key && { scopes: [], key };
      const verdict = await place({ record: { ...record, reasons }, proposals: [], guard });
      if (verdict.kind === 'replay') return { result: 'AGAIN', ask: verdict.ask };
      // A batch of NOs is written at once; printing takes milliseconds for each.
      await turns.next();
      return settle(
        record,
        { result: 'NO', ask: record.id, reasons, nearest: record.nearest },
        begun,
      );
    },
  };
}
