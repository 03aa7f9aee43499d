import type { KeptAsk } from '../record/kept-ask.ts';
import type { OfferRow } from '../record/offer-rows.ts';
import type { Replay } from './explain.ts';
import { withPoolOutcome } from './pool-steps.ts';
import { ownInputs, ownTrace, type ShownInputs } from './redaction.ts';

/** A decision to be explained. */
export type Explained = {
  readonly kept: KeptAsk;
  readonly replay: Replay;
  readonly offers: readonly OfferRow[];
  /** may the reader see what belongs to others? */
  readonly seesAll: boolean;
};

/** The steps of a decision that the reader may see. */
export function shownSteps({
  kept,
  seesAll,
}: Pick<Explained, 'kept' | 'seesAll'>): KeptAsk['trace'] {
  return withPoolOutcome(kept, seesAll ? kept.trace : ownTrace(kept));
}

/** What the rules were given, as far as the reader may see it; null: they were not asked. */
export function shownInputs({
  kept: { inputs },
  seesAll,
}: Pick<Explained, 'kept' | 'seesAll'>): ShownInputs | null {
  if (inputs === null) return null;
  const { job, circumstances } = seesAll ? inputs : ownInputs(inputs);
  return { job, circumstances };
}
