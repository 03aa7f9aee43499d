import type { JWTPayload } from 'jose';
import type { ClaimPath, OidcIssuer } from '../../site/identity.ts';

/**
 * What a verified token says about who carries it; undefined parts
 * were not there or cannot be used.
 */
export type TokenClaims = {
  readonly subject: string;
  readonly user: string;
  readonly roles: readonly string[];
};

const LONGEST = 255;
const MOST_ROLES = 1000;

/**
 * Reads the claims by which the rules know a user.
 *
 * @returns the claims, or in our own words why they cannot be used
 */
export function readClaims(payload: JWTPayload, issuer: OidcIssuer): TokenClaims | string {
  const { sub } = payload;
  if (!isPlainText(sub)) return 'the token has no subject that can be used';
  const user = userIn(payload, issuer);
  if (!isPlainText(user)) return 'the token does not have the claim that names the user here';
  const groups =
    issuer.groupsClaim === undefined ? [] : groupsIn(claimAt(payload, issuer.groupsClaim));
  return { subject: sub, user, roles: groups.map((group) => `${issuer.rolePrefix}${group}`) };
}

/**
 * Text for headers, documents and columns: no control characters, no
 * broken UTF-16, not empty, not long.
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

/** A list of names, or one name alone. What else stands in the list is no group. */
function groupsIn(value: unknown): readonly string[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.filter(isPlainText).slice(0, MOST_ROLES);
}
