import type { components } from '../../generated/api.d.ts';
import { identityOf } from '../../identity/principal.ts';
import { judgementsOf, type Judgement, type Replay } from '../../planner/explain/explain.ts';
import type { BookSummary } from '../../planner/plan/book-summary.ts';
import type { KeptAsk } from '../../planner/record/kept-ask.ts';
import type { OfferRow } from '../../planner/record/ledger.ts';
import { reasonsOf } from '../../planner/record/recorded-answer.ts';
import { withPoolOutcome } from '../../planner/explain/pool-steps.ts';
import { ownInputs, ownTrace } from '../../planner/explain/redaction.ts';
import { amountsOf, gibibytes } from './calendar.ts';
import { printAllReasons } from './print-reasons.ts';

type Explanation = components['schemas']['Explanation'];

/** What there is to tell of a decision, and whether whoever asks may see what belongs to others. */
export type Explained = { readonly kept: KeptAsk; readonly replay: Replay; readonly offers: readonly OfferRow[]; readonly seesAll: boolean };

const printBook = ({ now, read, roomy }: BookSummary): NonNullable<Explanation['book']> => ({
  time: new Date(now).toISOString(),
  read: read.map(({ destination, gpus, results, ...free }) => ({
    destination, free: { ...amountsOf({ ...free, gpus: new Map(Object.entries(gpus)) }), ...(results === undefined ? {} : { results: gibibytes(results) }) },
  })),
  roomy: [...roomy],
});

const printJudgement = ({ destination, verdict, rank, score, reasons }: Judgement): Explanation['candidates'][number] => ({
  destination, verdict, ...(rank === undefined ? {} : { rank }), ...(score === undefined ? {} : { score }), reasons: [...reasons],
});

const shownInputs = (inputs: NonNullable<KeptAsk['inputs']>, seesAll: boolean): NonNullable<Explanation['inputs']> => {
  const { job, circumstances } = seesAll ? inputs : ownInputs(inputs);
  return { job, circumstances };
};

/** The steps of a decision as whoever asks may see them. */
export const shownSteps = ({ kept, seesAll }: Pick<Explained, 'kept' | 'seesAll'>): KeptAsk['trace'] => withPoolOutcome(kept, seesAll ? kept.trace : ownTrace(kept));

/** How an answer was come to, on the wire. */
export const printExplanation = (explained: Explained, base: string): Explanation => {
  const { kept, replay, offers, seesAll } = explained;
  const trace = shownSteps(explained);
  return {
    ident: kept.id,
    asked: kept.createdAt.toISOString(),
    identity: identityOf(kept.owner, kept.ownerName),
    result: kept.result,
    rules: { digest: kept.rulesDigest, replay },
    inputs: kept.inputs === null ? null : shownInputs(kept.inputs, seesAll),
    ...(kept.inputs?.book === undefined ? {} : { book: printBook(kept.inputs.book) }),
    candidates: judgementsOf(trace).map(printJudgement),
    trace: trace.map((step) => ({ ...step })),
    offers: offers.map(({ id, state, destination, startsAt }) => ({ ident: id, href: `${base}/offers/${id}`, status: state, destination, start: startsAt.toISOString() })),
    reasons: printAllReasons(reasonsOf(kept.reasons).reasons),
  };
};
