import { printOffer, printProposal, type PrintableOffer } from '../../dialects/seed/print.ts';
import { printReasons } from '../../dialects/seed/print-reasons.ts';
import type { SeedAsk } from '../../dialects/seed/read.ts';
import { revise } from '../../dialects/seed/revise.ts';
import { wordingOf } from '../../dialects/seed/wording.ts';
import type { components } from '../../generated/api.d.ts';
import { identityOf, ownerOf, type Identity, type Principal } from '../../identity/principal.ts';
import type { OfferRow } from '../../planner/record/ledger.ts';
import type { NearestAsk } from '../../planner/nearest/nearest.ts';
import type { Answer, RehearsalAnswer } from '../../planner/planner.ts';
import type { RecordedAnswer } from '../../planner/record/recorded-answer.ts';
import { groupedReasons, type Reason } from '../../planner/reasons.ts';
import type { Refusal } from '../../planner/refusal.ts';
import type { AskId } from '../../words/ids.ts';

/** An answer on the wire. */
export type AnswerBody = components['schemas']['AnswerBody'];
type No = Extract<components['schemas']['Answer'], { result: 'NO' }>;

/** Where an answer is printed for: the URL of the service as the client sees it, and what the client sent. */
export type PrintedFor = { readonly base: string; readonly body: SeedAsk };

export const printable = (row: OfferRow): PrintableOffer => ({
  ...row, identity: identityOf(row.owner, row.ownerName), promised: row.promise, startsAt: row.startsAt.getTime(), expiresAt: row.expiresAt.getTime(),
});

const identityFor = (principal: Principal): Identity => identityOf(ownerOf(principal), principal.kind === 'user' ? principal.user : null);

/** `nearest` is kept as changes; the ask with them is made of what the client sends now, which is the same. */
const why = (grouped: readonly Reason[], nearest: NearestAsk | undefined, body: SeedAsk): Pick<No, 'reasons' | 'more-reasons' | 'nearest'> => {
  const reasons = printReasons(grouped);
  if (nearest === undefined) return reasons;
  const { body: ask, changes } = revise(body, nearest.changes);
  return { nearest: { destination: nearest.destination, changes: [...changes], ask }, ...reasons };
};

const whence = (ask: AskId, base: string) => ({ ident: ask, explain: `${base}/asks/${ask}/explain` });

export const printAnswer = (answer: Answer, principal: Principal, { base, body }: PrintedFor): AnswerBody => {
  if (answer.result === 'NO') return { response: { result: 'NO', ...whence(answer.ask, base), ...why(answer.reasons, answer.nearest, body) } };
  const offers = answer.offers.map((offer) => printOffer({
    ...offer, identity: identityFor(principal), state: 'OFFERED', durationS: offer.duration, secondsLeft: Math.floor((offer.expiresAt - answer.now) / 1000),
  }, base));
  return { response: { result: 'YES', ...whence(answer.ask, base), offers } };
};

/** What an answer would be: offers without a name by which they could be accepted. */
export const printRehearsal = (answer: RehearsalAnswer, principal: Principal, { body }: PrintedFor): AnswerBody => ({
  response: answer.result === 'NO'
    ? { 'result': 'NO', 'dry-run': true, ...why(groupedReasons(answer.refusals, wordingOf(body)), answer.nearest, body) }
    : { 'result': 'YES', 'dry-run': true, 'offers': answer.proposals.map((one) => printProposal({ ...one, identity: identityFor(principal), durationS: one.duration })) },
});

/** The NO to a dry run of an ask that was not understood. */
export const printMisunderstood = (refusals: readonly Refusal[], { body }: PrintedFor): AnswerBody =>
  ({ response: { 'result': 'NO', 'dry-run': true, ...why(groupedReasons(refusals, wordingOf(body)), undefined, body) } });

export const printRecorded = (ask: AskId, answer: RecordedAnswer, { base, body }: PrintedFor): AnswerBody => ({
  response: answer.result === 'NO'
    ? { result: 'NO', ...whence(ask, base), ...why(answer.reasons, answer.nearest, body) }
    : { result: 'YES', ...whence(ask, base), offers: answer.offers.map((offer) => printOffer(printable(offer), base)) },
});
