import { createHash } from 'node:crypto';
import type { SiteToken } from '../site/site.ts';
import { Problem } from '../words/problem.ts';
import type { Principal } from './principal.ts';

/** Who may ask at this site. */
export type Doors = { readonly anonymous: boolean; readonly tokens: readonly SiteToken[] };

const CHALLENGE = { 'WWW-Authenticate': 'Bearer realm="planner"' };

/**
 * Who sent a request. Tokens are compared by their SHA-256, which the site file holds: equal time for right and wrong
 * ones, and nothing to steal.
 *
 * @param authorization value of the Authorization header, if any
 * @throws Problem `credential-invalid` for a credential that is presented and not known, never anonymous; or
 *   `credential-missing` where the site wants one. Both are 401 with a challenge.
 */
export const identify = (authorization: string | undefined, doors: Doors): Principal => {
  if (authorization === undefined) {
    if (doors.anonymous) return { kind: 'anonymous' };
    throw new Problem('credential-missing', 'This site wants a bearer token in the Authorization header.', { headers: CHALLENGE });
  }
  const [scheme, token, ...rest] = authorization.trim().split(/\s+/);
  if (scheme?.toLowerCase() === 'bearer' && token !== undefined && rest.length === 0) {
    const sha256 = createHash('sha256').update(token).digest('hex');
    const known = doors.tokens.find((one) => one.sha256 === sha256);
    if (known !== undefined) return { kind: 'user', user: known.user, roles: known.roles };
  }
  throw new Problem('credential-invalid', 'The Authorization header does not carry a bearer token that this site knows.', {
    headers: { 'WWW-Authenticate': 'Bearer realm="planner", error="invalid_token"' },
  });
};
