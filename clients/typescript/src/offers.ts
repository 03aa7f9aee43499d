import type { Documents, Nearest, Offer, Proposal, Reason } from './contract.ts';

/** One or more; the contract promises the first. */
export type Some<T> = readonly [T, ...T[]];

/** Offers that hold their capacity, the best first. */
export type Yes = Pick<Documents['AnswerYes'], 'ident' | 'explain'> & {
  readonly result: 'YES';
  readonly offers: Some<Offer>;
};

type Reasons = {
  readonly result: 'NO';
  readonly reasons: Some<Reason>;
  /** the smallest change that makes it a YES, if one was found */
  readonly nearest?: Nearest;
  /** number of further reasons in the explanation */
  readonly 'more-reasons'?: number;
};

/** Every reason why not. */
export type No = Reasons & Pick<Documents['AnswerNo'], 'ident' | 'explain'>;
export type Answer = Yes | No;

/** What the answer would be. */
export type Check = { readonly result: 'YES'; readonly offers: Some<Proposal> } | Reasons;

/** Offers of the same answer as lists and single offers have them. */
const received = new WeakMap<Offer, number>();

/** Remembers when an offer came: how long it is held is told from then on. */
export function noted(offer: Offer): Offer {
  received.set(offer, performance.now());
  return offer;
}

/** Seconds for which an offer is still held, whatever the client's clock says. */
export function secondsLeft(offer: Offer): number {
  const since = performance.now() - (received.get(offer) ?? performance.now());
  return Math.max(0, offer['expires-in'] - since / 1000);
}

/** The answer to an ask. @throws Error one that the contract does not know */
export function answerOf(answer: Documents['Answer']): Answer {
  if (!('ident' in answer)) throw new Error('the service answered with a dry run');
  return answer.result === 'YES'
    ? { ...answer, offers: some(answer.offers.map(noted)) }
    : { ...answer, reasons: some(answer.reasons) };
}

/** The answer to a dry run. @throws Error one that the contract does not know */
export function checkOf(answer: Documents['Answer']): Check {
  if ('ident' in answer) throw new Error('the service did not answer with a dry run');
  return answer.result === 'YES'
    ? { ...answer, offers: some(answer.offers) }
    : { ...answer, reasons: some(answer.reasons) };
}

function some<T>([first, ...others]: readonly T[]): Some<T> {
  if (first === undefined) throw new Error('the service answered without offers and reasons');
  return [first, ...others];
}
