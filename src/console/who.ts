import { signal } from '@preact/signals';
import { api, outcomeOf } from './api.ts';
import type { Documents } from './contract.ts';
import type { Trouble } from './trouble.ts';

/** Who the client is, or why that is not known. */
export const who = signal<
  | { readonly kind: 'unknown' }
  | { readonly kind: 'known'; readonly me: Documents['Me'] }
  | { readonly kind: 'failed'; readonly trouble: Trouble }
>({ kind: 'unknown' });

/** Asks the service who the client is, and what is left of its quotas. */
export async function readMe(): Promise<void> {
  const outcome = await outcomeOf(api.GET('/me'));
  who.value = outcome.ok
    ? { kind: 'known', me: outcome.data.me }
    : { kind: 'failed', trouble: outcome.trouble };
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
