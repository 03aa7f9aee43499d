import { api, outcomeOf, type Outcome } from '../api.ts';
import { conversation, readOpenOffers } from '../ask/conversation.ts';
import { forgetDraft } from '../ask/draft.ts';
import { followUser } from '../live/changes.ts';
import type { Trouble } from '../client.ts';
import { readMe } from '../who.ts';

/** What the service answers when it is done: nothing, which is no document. */
const NO_CONTENT = 204;

/** Ends the user's sign-in. @returns why that did not work; the page is then as it was */
export async function signOut(): Promise<Trouble | undefined> {
  const trouble = unendedOf(await outcomeOf(api.POST('/logout')));
  if (trouble === undefined) await leaveUser();
  return trouble;
}

/** Why a sign-in was not ended. One that is over already is none to end. */
export function unendedOf(outcome: Outcome<unknown>): Trouble | undefined {
  return outcome.ok || [NO_CONTENT, 401, 404].includes(outcome.trouble.status)
    ? undefined
    : outcome.trouble;
}

/** What the page does once the user has ended the own sign-in: it keeps nothing of that user. */
export async function leaveUser(): Promise<void> {
  conversation.value = { kind: 'none' };
  forgetDraft();
  followUser();
  await Promise.all([readMe(true), readOpenOffers()]);
}
