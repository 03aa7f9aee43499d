import type { Proof } from './sign-in/signed-in.ts';

/** Who sends a request. An ask, an offer and a job have the principal's `owner`. */
export type Principal =
  | { readonly kind: 'anonymous' }
  | {
      readonly kind: 'user';
      /** never changes and belongs to one user only; the owner columns hold it */
      readonly owner: string;
      /** the user for rules and readers: an e-mail or a name; may change */
      readonly user: string;
      readonly roles: readonly string[];
      /** may see and stop what belongs to others */
      readonly administrator: boolean;
      /** end of the credential, milliseconds since 1970; undefined without an end */
      readonly until?: number;
      /** the sign-in of a browser that sends the request, since milliseconds since 1970 */
      readonly signIn?: {
        readonly id: string;
        readonly since: number;
        readonly kind: Proof['kind'];
      };
    };

/** Owner column of all clients without a credential; all other owners carry a prefix. */
export const ANONYMOUS_OWNER = 'anonymous';

const LOCAL = 'user:';
const OIDC = 'oidc:';

/** Owner column of a user in the site's own files. */
export function localOwner(user: string): string {
  return `${LOCAL}${user}`;
}

/**
 * Owner column of an issuer's user. The subject never changes and belongs to the issuer (OpenID
 * Connect Core § 5.7), so an e-mail that changes hands, or that a second issuer claims, opens
 * nothing. An issuer is a URL and has no space.
 */
export function issuedOwner(issuer: string, subject: string): string {
  return `${OIDC}${issuer} ${subject}`;
}

/**
 * How long the credential of a principal is still good, seconds.
 *
 * @param now milliseconds since 1970
 */
export function secondsLeft(principal: Principal, now: number): number {
  const until = principal.kind === 'user' ? principal.until : undefined;
  return Math.max(0, ((until ?? Infinity) - now) / 1000);
}

/** The owner that a principal has in the owner columns. */
export function ownerOf(principal: Principal): string {
  return principal.kind === 'anonymous' ? ANONYMOUS_OWNER : principal.owner;
}

/** Whom an offer or a job belongs to, as documents may show it: without any secret. */
export type Identity =
  | { readonly type: 'anonymous' }
  | { readonly type: 'local'; readonly user: string }
  | {
      readonly type: 'oidc';
      readonly user: string;
      readonly issuer: string;
      readonly subject: string;
    };

/** @param name last known name of the issuer's user */
export function identityOf(owner: string, name: string | null = null): Identity {
  if (owner === ANONYMOUS_OWNER) return { type: 'anonymous' };
  if (!owner.startsWith(OIDC)) return { type: 'local', user: owner.slice(LOCAL.length) };
  const [issuer = '', ...rest] = owner.slice(OIDC.length).split(' ');
  const subject = rest.join(' ');
  return { type: 'oidc', user: name ?? subject, issuer, subject };
}

/** The UWS ownerId: the user, or undefined (nil) for anonymous. */
export function visibleOwner(owner: string, name: string | null = null): string | undefined {
  const identity = identityOf(owner, name);
  return identity.type === 'anonymous' ? undefined : identity.user;
}
