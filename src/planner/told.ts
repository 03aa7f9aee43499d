import { identityOf, ownerOf, type Principal } from '../identity/principal.ts';
import type { AskId } from '../words/ids.ts';
import type { Asking, PrintableOffer, ToldAnswer, ToldReasons } from './dialect.ts';
import type { Answer } from './answer-writer.ts';
import type { RehearsalAnswer } from './planner.ts';
import { groupedReasons, type Wording } from './reasons.ts';
import type { OfferRow } from './record/offer-rows.ts';
import type { RecordedAnswer } from './record/kept-ask.ts';
import { allowedUpdates } from './states.ts';

/** An answer that was just decided. */
export function toldAnswer(
  answer: Answer,
  principal: Principal,
  { document, name }: Pick<Asking, 'document' | 'name'>,
): ToldAnswer {
  const { ask } = answer;
  if (answer.result === 'NO')
    return { kind: 'no', ask, reasons: answer.reasons, nearest: answer.nearest };
  const identity = identityFor(principal);
  return {
    kind: 'yes',
    ask,
    offers: answer.offers.map((offer) => ({
      ...offer,
      identity,
      ask,
      document,
      name,
      state: 'OFFERED',
      createdAt: answer.now,
      modifiedAt: answer.now,
      durationS: offer.duration,
      secondsLeft: Math.floor((offer.expiresAt - answer.now) / 1000),
      prepareS: offer.prepare,
      startWindowS: offer.startWindow,
      releaseS: offer.release,
      mayBecome: allowedUpdates('OFFERED'),
    })),
  };
}

/** What an answer would be. */
export function toldRehearsal(
  answer: RehearsalAnswer,
  principal: Principal,
  asking: Wording & Pick<Asking, 'name'>,
): ToldAnswer {
  if (answer.result === 'NO') {
    return {
      kind: 'would-be-no',
      reasons: groupedReasons(answer.refusals, asking),
      nearest: answer.nearest,
    };
  }
  const identity = identityFor(principal);
  const { name } = asking;
  return {
    kind: 'would-be-yes',
    offers: answer.proposals.map((one) => ({ ...one, identity, name, durationS: one.duration })),
  };
}

/** An answer that was given before, with its offers as they are now. */
export function toldAgain(ask: AskId, answer: RecordedAnswer, reader: Principal): ToldAnswer {
  return answer.result === 'NO'
    ? toldNo(ask, answer)
    : { kind: 'yes', ask, offers: answer.offers.map((row) => printableOffer(row, reader)) };
}

/** A NO that was said before. */
export function toldNo(
  ask: AskId,
  { reasons, nearest }: ToldReasons,
): Extract<ToldAnswer, { readonly kind: 'no' }> {
  return { kind: 'no', ask, reasons, nearest };
}

/** An offer of the book as a dialect prints it. */
export function printableOffer(row: OfferRow, reader: Principal): PrintableOffer {
  const { state, createdAt, decidedAt, owner } = row;
  const isOwn = owner === ownerOf(reader);
  const expiresAt = row.expiresAt.getTime();
  const lastAt = state === 'EXPIRED' ? expiresAt : (decidedAt ?? createdAt).getTime();
  return {
    ...row,
    identity: identityOf(owner, row.ownerName),
    name: row.name ?? undefined,
    promised: row.promise,
    startsAt: row.startsAt.getTime(),
    createdAt: createdAt.getTime(),
    modifiedAt: lastAt,
    expiresAt,
    mayBecome: allowedUpdates(state).filter((update) => isOwn || update !== 'ACCEPTED'),
  };
}

function identityFor(principal: Principal): PrintableOffer['identity'] {
  return identityOf(ownerOf(principal), principal.kind === 'user' ? principal.user : null);
}
