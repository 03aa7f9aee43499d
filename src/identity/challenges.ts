import type { IdentityTerms } from '../site/identity.ts';
import type { DeviceClient } from '../site/read/device-client.ts';
import { discoveryUrl } from './oidc/discovery.ts';

/**
 * Why there is no principal: the client sent no credential, or an invalid one, with the reason in
 * the service's own words.
 */
type Denial = { readonly kind: 'missing' } | { readonly kind: 'invalid'; readonly because: string };

const REALM = 'realm="planner"';

/** SSO 2.0 identifier of a login through OpenID. */
const SSO_OPENID = 'ivo://ivoa.net/sso#OpenID';

/**
 * The WWW-Authenticate lines of a 401, one for each way to log in: Bearer (RFC 6750 § 3) always,
 * Basic with a password file, and for every issuer the `ivoa_bearer` that leads clients of the
 * Virtual Observatory to its login; then those of the site file.
 */
export function challengesOf(
  { oidc, passwords, challenges = [] }: Pick<IdentityTerms, 'oidc' | 'passwords' | 'challenges'>,
  denial: Denial,
): readonly string[] {
  const error = errorOf(denial);
  // RFC 6750 forbids an error without a credential, but clients of the Virtual Observatory expect
  // one.
  const ivoaError =
    denial.kind === 'missing'
      ? { error: 'invalid_request', error_description: 'Missing access token' }
      : error;
  return [
    [`Bearer ${REALM}`, quoted(error)].filter((part) => part !== '').join(', '),
    ...oidc.map(
      ({ issuer, device }) =>
        `ivoa_bearer ${quoted({
          standard_id: SSO_OPENID,
          discovery_url: discoveryUrl(issuer),
          ...(device && deviceParameters(device)),
          ...ivoaError,
        })}`,
    ),
    ...(passwords === undefined ? [] : [`Basic ${REALM}, charset="UTF-8"`]),
    ...challenges,
  ];
}

/** What a program needs besides the discovery document to get a token (RFC 8628 § 3.1). */
function deviceParameters({
  id,
  scopes,
  resource,
}: DeviceClient): Readonly<Record<string, string>> {
  return { client_id: id, scope: scopes.join(' '), ...(resource !== undefined && { resource }) };
}

function errorOf(denial: Denial): Readonly<Record<string, string>> {
  return denial.kind === 'missing'
    ? {}
    : { error: 'invalid_token', error_description: denial.because };
}

function quoted(parameters: Readonly<Record<string, string>>): string {
  // A quoted-string of printable ASCII; values come from the service or its operator, never from a
  // client.
  return Object.entries(parameters)
    .map(([name, value]) => `${name}="${value.replaceAll(/[^\x20-\x7e]|["\\]/g, '')}"`)
    .join(', ');
}
