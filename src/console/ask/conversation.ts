import { computed, effect, signal, untracked } from '@preact/signals';
import { api, outcomeOf } from '../api.ts';
import type { Documents } from '../contract.ts';
import { endIn, secondsUntil } from '../clock.ts';
import { newKey, type Trouble } from '../client.ts';
import type { Route } from '../route.ts';
import { go, renameAddress, screenNow } from '../router.ts';
import { once } from '../offers/deciding.ts';
import { endedUser, isOfOthers, nameOfUser } from '../who.ts';
import { forgetDraft } from './draft.ts';

type Ask = Documents['Ask'];

/** An offer, and until when it is held by the page's own clock. */
export type HeldOffer = { readonly offer: Documents['Offer']; readonly end: number };

/** Where the conversation about one ask is. */
export type Conversation =
  | { readonly kind: 'none' }
  | { readonly kind: 'asking'; readonly ask: Ask }
  | { readonly kind: 'failed'; readonly ask: Ask; readonly trouble: Trouble; readonly key: string }
  | {
      readonly kind: 'yes';
      readonly ask: Ask;
      readonly ident: string;
      readonly offers: readonly HeldOffer[];
    }
  | {
      readonly kind: 'no';
      readonly ask: Ask;
      readonly ident: string;
      readonly answer: Documents['AnswerNo'];
    };

/** The conversation that the screen to ask shows. */
export const conversation = signal<Conversation>({ kind: 'none' });
/** Why the last acceptance or return did not work. */
export const updateTrouble = signal<Trouble | undefined>(undefined);

/** The client's open offers as the service told them last. */
export const openOffers = signal<readonly HeldOffer[]>([]);

/** Did the answer come while another screen was open? */
let isUnseen = false;

const readings = { offers: 0, 'open offers': 0 };

/** The client's offers that still hold capacity: those of the conversation, and those of other asks. */
export const heldNow = computed(() => {
  const { value: now } = conversation;
  const own = now.kind === 'yes' ? now.offers : [];
  const idents = new Set(own.map(({ offer }) => offer.ident));
  return [...own, ...openOffers.value.filter(({ offer }) => !idents.has(offer.ident))].filter(
    (held) => isHeld(held) && !isOfOthers(held.offer.identity.user),
  );
});

/** Reads which offers are open: a page that was loaded again has forgotten them. */
export async function readOpenOffers(): Promise<void> {
  const isLatest = latestOf('open offers');
  const read: HeldOffer[] = [];
  let after: string | undefined;
  do {
    const query = {
      status: ['OFFERED' as const],
      limit: 200,
      ...(after !== undefined && { after }),
    };
    const outcome = await outcomeOf(api.GET('/offers', { params: { query } }));
    if (!outcome.ok || !isLatest()) return;
    read.push(...outcome.data.offers.map(heldOffer));
    after = outcome.data.next;
  } while (after !== undefined);
  openOffers.value = read;
}

/**
 * Forgets answers and offers of a user who is no longer signed in, in whatever tab that happened:
 * somebody else may sit there now. A question without an answer stays, with what went wrong, and so
 * does the form, unless somebody else signs in.
 */
export function forgetFormerUser(): void {
  let last = untracked(nameOfUser);
  effect(() => {
    const now = nameOfUser();
    const before = last ?? endedUser.peek();
    if (before !== undefined && now !== before) untracked(() => keepOf(now));
    last = now;
  });
}

/** Is the offer open, by its state and the page's clock? */
export function isHeld({ offer, end }: HeldOffer): boolean {
  return offer.status === 'OFFERED' && secondsUntil(end) > 0;
}

/**
 * Asks, and shows the answer; to somebody who has opened another screen meanwhile, upon the return.
 *
 * @param key of a former try whose answer was lost: the service then decides only once
 */
export async function ask(document: Ask, key: string = newKey()): Promise<void> {
  leaveAnswer();
  conversation.value = { kind: 'asking', ask: document };
  const outcome = await outcomeOf(
    api.POST('/request', { body: document, params: { header: { 'Idempotency-Key': key } } }),
  );
  const { value: now } = conversation;
  // Another ask, or another screen, came in between.
  if (now.kind !== 'asking' || now.ask !== document) return;
  conversation.value = outcome.ok
    ? answered(document, outcome.data.response)
    : { kind: 'failed', ask: document, trouble: outcome.trouble, key };
  const { value: then } = conversation;
  isUnseen = !isOpen('ask', 'answer');
  if (!isUnseen && (then.kind === 'yes' || then.kind === 'no')) go(`#/asks/${then.ident}`);
}

/** Shows the answer that came while another screen was open. @returns false: there is none */
export function showUnseen(): boolean {
  const { value: now } = conversation;
  const wasUnseen = isUnseen && now.kind !== 'none';
  isUnseen = false;
  if (wasUnseen && (now.kind === 'yes' || now.kind === 'no')) renameAddress(`#/asks/${now.ident}`);
  return wasUnseen;
}

/** Shows no answer; its offers stay open, and the header counts them. */
export function leaveAnswer(): void {
  openOffers.value = heldNow.value;
  updateTrouble.value = undefined;
  conversation.value = { kind: 'none' };
  isUnseen = false;
}

/** Shows an answer that the service keeps. */
export function showAnswer(document: Ask, answer: Documents['Answer']): void {
  leaveAnswer();
  conversation.value = answered(document, answer);
}

/**
 * Accepts an offer and goes to its job, unless somebody has opened another screen meanwhile.
 *
 * @returns false if it could not be accepted, or if something else is under way
 */
export async function accept(offer: Documents['Offer']): Promise<boolean> {
  return (await once(offer.ident, () => acceptNow(offer.ident))) ?? false;
}

/** Gives the offers of an answer back, so that others can have their room. */
export async function giveBack(answer: string, offers: readonly HeldOffer[]): Promise<void> {
  await once(answer, () => giveBackNow(offers));
}

/**
 * Reads the states of the offers again: another tab may have decided.
 *
 * @returns false if one of them could not be read, and is shown as it was
 */
export async function readOffers(): Promise<boolean> {
  const { value: shown } = conversation;
  if (shown.kind !== 'yes') return true;
  const isLatest = latestOf('offers');
  const read = await Promise.all(shown.offers.map(readOffer));
  const { value: now } = conversation;
  if (isLatest() && now.kind === 'yes' && now.ident === shown.ident)
    conversation.value = { ...now, offers: now.offers.map((held, at) => read[at] ?? held) };
  return !read.includes(undefined);
}

/** An offer as the service sent it now. */
export function heldOffer(offer: Documents['Offer']): HeldOffer {
  return { offer, end: endIn(offer['expires-in']) };
}

/** Of readings of the same thing, the one that began last counts: an earlier one may end later. */
function latestOf(what: 'offers' | 'open offers'): () => boolean {
  const own = readings[what] + 1;
  readings[what] = own;
  return () => readings[what] === own;
}

function answered(document: Ask, answer: Documents['Answer']): Conversation {
  if (answer.result === 'NO' && 'ident' in answer)
    return { kind: 'no', ask: document, ident: answer.ident, answer };
  if (answer.result === 'YES' && 'ident' in answer)
    return {
      kind: 'yes',
      ask: document,
      ident: answer.ident,
      offers: answer.offers.map(heldOffer),
    };
  // A dry run has no conversation.
  return { kind: 'none' };
}

async function acceptNow(ident: string): Promise<boolean> {
  updateTrouble.value = undefined;
  const { hash } = location;
  const outcome = await update(ident, 'ACCEPTED');
  if (outcome.ok) {
    if (isOfConversation(ident)) conversation.value = { kind: 'none' };
    openOffers.value = openOffers.value.filter(({ offer }) => offer.ident !== ident);
    if (location.hash === hash && isOpen('ask', 'answer', 'offer')) go(`#/jobs/${ident}`);
    void readOpenOffers();
    return true;
  }
  updateTrouble.value = outcome.trouble;
  await readOffers();
  return false;
}

async function giveBackNow(offers: readonly HeldOffer[]): Promise<void> {
  updateTrouble.value = undefined;
  const outcomes = await Promise.all(offers.map(({ offer }) => update(offer.ident, 'REJECTED')));
  updateTrouble.value = outcomes.find((outcome) => !outcome.ok)?.trouble;
  await Promise.all([readOffers(), readOpenOffers()]);
}

/** Is one of these screens open? */
function isOpen(...screens: readonly Route['screen'][]): boolean {
  return screens.includes(screenNow());
}

function isOfConversation(ident: string): boolean {
  const { value: now } = conversation;
  return now.kind === 'yes' && now.offers.some(({ offer }) => offer.ident === ident);
}

function update(ident: string, status: 'ACCEPTED' | 'REJECTED') {
  return outcomeOf(api.POST('/offers/{ident}', { params: { path: { ident } }, body: { status } }));
}

async function readOffer({ offer: { ident } }: HeldOffer): Promise<HeldOffer | undefined> {
  const outcome = await outcomeOf(api.GET('/offers/{ident}', { params: { path: { ident } } }));
  return outcome.ok ? heldOffer(outcome.data.offer) : undefined;
}

function keepOf(user: string | undefined): void {
  const { kind } = conversation.value;
  const isAnswered = kind === 'yes' || kind === 'no';
  if (isAnswered || user !== undefined) conversation.value = { kind: 'none' };
  if (user !== undefined) forgetDraft();
  // Those of the next user may have been read before it was known who that is.
  openOffers.value = openOffers.value.filter(({ offer }) => offer.identity.user === user);
}
