/** Who asks. The owner of an ask, an offer and a job is the principal's id. */
export type Principal =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'user'; readonly user: string; readonly roles: readonly string[] };

/** Owner column of everybody without a credential; a user's id can never be this, since it carries a prefix. */
export const ANONYMOUS_OWNER = 'anonymous';

/** Stable text for the owner columns: `anonymous`, or `user:` and the user's e-mail or subject. */
export const ownerOf = (principal: Principal): string =>
  principal.kind === 'anonymous' ? ANONYMOUS_OWNER : `user:${principal.user}`;

/** What UWS ownerId shows: the user, or undefined (nil) for anonymous. */
export const visibleOwner = (owner: string): string | undefined =>
  owner === ANONYMOUS_OWNER ? undefined : owner.slice('user:'.length);
