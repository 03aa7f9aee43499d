import type { IdentityTerms } from '../site/identity.ts';
import { discoveryUrl } from './oidc/discovery.ts';

/**
 * Why there is no principal: nothing was presented, or what was presented
 * is not valid, in our own words.
 */
export type Denial =
  | { readonly kind: 'missing' }
  | { readonly kind: 'invalid'; readonly because: string };

const REALM = 'realm="planner"';

/** SSO 2.0 identifier of a login through OpenID. */
const SSO_OPENID = 'ivo://ivoa.net/sso#OpenID';

/**
 * The WWW-Authenticate lines of a 401, one for each way that the site has: Bearer (RFC 6750 § 3)
 * always, Basic where there are passwords, and for every issuer the `ivoa_bearer` by which clients
 * of the Virtual Observatory find its login; and what else the site file has.
 */
export function challengesOf(
  { oidc, passwords, challenges = [] }: Pick<IdentityTerms, 'oidc' | 'passwords' | 'challenges'>,
  denial: Denial,
): readonly string[] {
  const error = errorOf(denial);
  // RFC 6750 wants no error where nothing was presented; VO services say it all the same.
  const ivoaError =
    denial.kind === 'missing'
      ? { error: 'invalid_request', error_description: 'Missing access token' }
      : error;
  return [
    [`Bearer ${REALM}`, quoted(error)].filter((part) => part !== '').join(', '),
    ...oidc.map(
      ({ issuer }) =>
        `ivoa_bearer ${quoted({ standard_id: SSO_OPENID, discovery_url: discoveryUrl(issuer), ...ivoaError })}`,
    ),
    ...(passwords === undefined ? [] : [`Basic ${REALM}, charset="UTF-8"`]),
    ...challenges,
  ];
}

function errorOf(denial: Denial): Readonly<Record<string, string>> {
  return denial.kind === 'missing'
    ? {}
    : { error: 'invalid_token', error_description: denial.because };
}

function quoted(parameters: Readonly<Record<string, string>>): string {
  // A quoted-string of printable ASCII; values are ours or the operator's, never a client's.
  return Object.entries(parameters)
    .map(([name, value]) => `${name}="${value.replaceAll(/[^\x20-\x7e]|["\\]/g, '')}"`)
    .join(', ');
}
