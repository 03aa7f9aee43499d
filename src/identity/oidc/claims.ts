import type { JWTPayload } from 'jose';
import type { ClaimPath, OidcIssuer } from '../../site/identity.ts';

/** What a verified token says about its user. */
export type TokenClaims = {
  readonly subject: string;
  readonly user: string;
  readonly roles: readonly string[];
};

const LONGEST = 255;
const MOST_ROLES = 1000;

/**
 * Reads the claims that tell the rules who the user is.
 *
 * @returns the claims, or in the service's own words why they cannot be used
 */
export function readClaims(payload: JWTPayload, issuer: OidcIssuer): TokenClaims | string {
  const { sub } = payload;
  if (!isPlainText(sub)) return 'the token has no usable subject';
  const user = userIn(payload, issuer);
  if (!isPlainText(user)) return 'the token lacks the claim that names the user on this site';
  const groups =
    issuer.groupsClaim === undefined ? [] : groupsIn(claimAt(payload, issuer.groupsClaim));
  return { subject: sub, user, roles: groups.map((group) => `${issuer.rolePrefix}${group}`) };
}

/**
 * True for text that fits headers, documents and columns: neither empty nor long, without control
 * characters or broken UTF-16.
 */
function isPlainText(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.trim() !== '' &&
    value.length <= LONGEST &&
    value.isWellFormed() &&
    !/\p{Cc}/u.test(value)
  );
}

function userIn(payload: JWTPayload, { userClaim }: OidcIssuer): unknown {
  if (userClaim !== undefined) return claimAt(payload, userClaim);
  const { email, email_verified: verified } = payload;
  // Some issuers write the flag as text.
  return verified !== false && verified !== 'false' && isPlainText(email) ? email : payload.sub;
}

function claimAt(payload: JWTPayload, path: ClaimPath): unknown {
  return path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? Object(value)[name]
        : undefined,
    payload,
  );
}

/** Reads a list of names, or a single name; drops list items that are not text. */
function groupsIn(value: unknown): readonly string[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.filter(isPlainText).slice(0, MOST_ROLES);
}
