import { conversation, readOpenOffers } from '../ask/conversation.ts';
import { forgetDraft } from '../ask/draft.ts';
import { followUser } from '../live/changes.ts';
import { readMe } from '../who.ts';

/** What the page does once the user has ended the own sign-in: it keeps nothing of that user. */
export async function leaveUser(): Promise<void> {
  conversation.value = { kind: 'none' };
  forgetDraft();
  followUser();
  await Promise.all([readMe(true), readOpenOffers()]);
}
