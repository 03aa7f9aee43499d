/** Who asks. The owner of an ask, an offer and a job is the principal's `owner`. */
export type Principal =
  | { readonly kind: 'anonymous' }
  | {
      readonly kind: 'user';
      /** stable for ever, and never the same for two: what the owner columns hold */
      readonly owner: string;
      /** the rules' user, and what people read: an e-mail or a name; may change */
      readonly user: string;
      readonly roles: readonly string[];
      /** sees and stops what belongs to others */
      readonly administrator: boolean;
      /**
       * the credential is taken until then, milliseconds since 1970;
       * undefined: it has no end of its own
       */
      readonly until?: number;
    };

/**
 * Owner column of everybody without a credential; no other owner can be this,
 * since all others carry a prefix.
 */
export const ANONYMOUS_OWNER = 'anonymous';

const LOCAL = 'user:';
const OIDC = 'oidc:';

/** Owner column of a user whom the site's own files name. */
export function localOwner(user: string): string {
  return `${LOCAL}${user}`;
}

/**
 * Owner column of a user whom an issuer names. The subject is stable and the issuer's own (OpenID
 * Connect Core § 5.7): an e-mail that changes hands, or that a second issuer claims, opens nothing.
 * An issuer is a URL and has no space.
 */
export function issuedOwner(issuer: string, subject: string): string {
  return `${OIDC}${issuer} ${subject}`;
}

/** Stable text for the owner columns. */
export function ownerOf(principal: Principal): string {
  return principal.kind === 'anonymous' ? ANONYMOUS_OWNER : principal.owner;
}

/** Whose an offer or a job is, as far as it may be shown: it names the identity and no secret. */
export type Identity =
  | { readonly type: 'anonymous' }
  | { readonly type: 'local'; readonly user: string }
  | {
      readonly type: 'oidc';
      readonly user: string;
      readonly issuer: string;
      readonly subject: string;
    };

/** @param name by which the issuer's user was known last, if that was kept */
export function identityOf(owner: string, name: string | null = null): Identity {
  if (owner === ANONYMOUS_OWNER) return { type: 'anonymous' };
  if (!owner.startsWith(OIDC)) return { type: 'local', user: owner.slice(LOCAL.length) };
  const [issuer = '', ...rest] = owner.slice(OIDC.length).split(' ');
  const subject = rest.join(' ');
  return { type: 'oidc', user: name ?? subject, issuer, subject };
}

/** What UWS ownerId shows: the user, or undefined (nil) for anonymous. */
export function visibleOwner(owner: string, name: string | null = null): string | undefined {
  const identity = identityOf(owner, name);
  return identity.type === 'anonymous' ? undefined : identity.user;
}
