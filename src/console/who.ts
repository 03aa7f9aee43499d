import { effect, signal, untracked } from '@preact/signals';
import { api, denials, outcomeOf } from './api.ts';
import type { Documents } from './contract.ts';
import type { Trouble } from './client.ts';

/** Who the client is, or why that is not known. */
export const who = signal<
  | { readonly kind: 'unknown' }
  | { readonly kind: 'known'; readonly me: Documents['Me'] }
  | { readonly kind: 'failed'; readonly trouble: Trouble }
>({ kind: 'unknown' });

/** The user whose sign-in is over although nobody ended it here; undefined: there is none. */
export const endedUser = signal<string | undefined>(undefined);

/**
 * Asks the service who the client is, and what is left of its quotas.
 *
 * @param isOwnEnd the user has just ended the sign-in
 */
export async function readMe(isOwnEnd = false): Promise<void> {
  const outcome = await outcomeOf(api.GET('/me'));
  const before = nameOfUser();
  // A service that does not answer says nothing about its user.
  if (!outcome.ok && outcome.trouble.status !== 401 && who.value.kind === 'known') return;
  who.value = outcome.ok
    ? { kind: 'known', me: outcome.data.me }
    : { kind: 'failed', trouble: outcome.trouble };
  if (nameOfUser() !== undefined || isOwnEnd) endedUser.value = undefined;
  else if (before !== undefined) endedUser.value = before;
}

/** Finds out whether the sign-in is over, whenever the service does not take it. */
export function followSignIn(): void {
  effect(() => {
    // Where nobody is signed in, each answer to `/me` may be such a denial.
    if (denials.value > 0 && untracked(nameOfUser) !== undefined) void readMe();
  });
}

/** The user's name; undefined: nobody is signed in, as far as the page knows. */
export function nameOfUser(): string | undefined {
  return who.value.kind === 'known' ? who.value.me.identity.user : undefined;
}

/**
 * Does it belong to somebody else? Administrators see what others have, and say why they end it.
 *
 * @param owner name of its user; undefined or null: it belongs to everybody without a name
 */
export function isOfOthers(owner: string | null | undefined): boolean {
  const { value: now } = who;
  return now.kind === 'known' && (now.me.identity.user ?? null) !== (owner ?? null);
}

/** May the client see and end what belongs to others? */
export function isOperator(): boolean {
  return who.value.kind === 'known' && who.value.me.administrator;
}
