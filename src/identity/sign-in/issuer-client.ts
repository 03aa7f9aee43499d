import { errors, jwtVerify } from 'jose';
import * as oauth from 'oauth4webapi';
import type { OidcIssuer } from '../../site/identity.ts';
import type { IssuerClient } from '../../site/read/issuer-client.ts';
import { sharedFor } from '../../words/shared-for.ts';
import { readClaims } from '../oidc/claims.ts';
import { discoveryUrl, IssuerAway, policyFor } from '../oidc/discovery.ts';
import { isUnusableKey, type TrustedIssuer } from '../oidc/verify.ts';
import { issuedOwner } from '../principal.ts';
import { readSecret } from './client-secret.ts';
import { requestsTo } from './issuer-requests.ts';
import { steadyClock } from '../remembered.ts';
import { SignInRefused } from './refused.ts';
import type { ProvenUser } from './signed-in.ts';

/**
 * The secrets of one attempt to sign in, which the browser brings back: `state` against foreign
 * answers, `nonce` against foreign ID tokens, and the verifier of PKCE against foreign codes.
 */
export type Attempt = {
  readonly issuer: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
};

/** Signing in at one issuer: OpenID Connect, authorization code with PKCE. */
export type IssuerDoor = {
  readonly name: string;
  readonly issuer: string;
  /** @returns where the browser goes. @throws IssuerAway */
  readonly start: (
    redirectUri: string,
  ) => Promise<{ readonly url: string; readonly attempt: Attempt }>;
  /**
   * @param parameters those that the browser brings back
   * @throws IssuerAway, SignInRefused
   */
  readonly finish: (
    attempt: Attempt,
    parameters: URLSearchParams,
    redirectUri: string,
  ) => Promise<ProvenUser>;
};

/** How long the issuer's addresses are in use without a new look. */
const FRESH_MS = 5 * 60_000;
/** Largest difference between the clocks of the issuer and of this machine, seconds. */
const CLOCK_SKEW_S = 30;

/**
 * The issuers where browsers sign in.
 *
 * @param clock milliseconds since 1970
 */
export function openIssuerDoors(
  issuers: readonly TrustedIssuer[],
  clock: () => number,
): readonly IssuerDoor[] {
  return issuers.flatMap((one) =>
    one.terms.client === undefined ? [] : openDoor(one, one.terms.client, clock),
  );
}

/** What the requests to an issuer need. */
type Registered = TrustedIssuer & {
  readonly client: IssuerClient;
  /** the client as `oauth4webapi` knows it, and how it sends requests */
  readonly self: oauth.Client;
  readonly options: oauth.TokenEndpointRequestOptions & oauth.UserInfoRequestOptions;
  /** the time, milliseconds since 1970 */
  readonly clock: () => number;
};

function openDoor(trusted: TrustedIssuer, client: IssuerClient, clock: () => number): IssuerDoor {
  const { issuer, name } = trusted.terms;
  const send = requestsTo(issuer);
  const self = { client_id: client.id, [oauth.clockTolerance]: CLOCK_SKEW_S };
  const options = {
    [oauth.customFetch]: send,
    // Over http the issuer is on this machine, or the policy of `send` refuses it.
    [oauth.allowInsecureRequests]: true,
  };
  const registered = { ...trusted, client, self, options, clock };
  const metadata = sharedFor(FRESH_MS, steadyClock(clock), async () => {
    const answer = await send(discoveryUrl(issuer), { method: 'GET', headers: {} });
    const server = await oauth.processDiscoveryResponse(new URL(issuer), answer);
    if (server.issuer !== issuer)
      throw new IssuerAway('its discovery document names another issuer');
    return server;
  });
  return {
    name,
    issuer,
    start: async (redirectUri) => {
      const { authorization_endpoint: at = '' } = await metadata().catch(away);
      const attempt = {
        issuer,
        state: oauth.generateRandomState(),
        nonce: oauth.generateRandomNonce(),
        verifier: oauth.generateRandomCodeVerifier(),
      };
      const url = allowed(issuer, at);
      for (const [key, value] of await parametersOf(attempt, client, redirectUri))
        url.searchParams.set(key, value);
      return { url: url.href, attempt };
    },
    finish: async (attempt, parameters, redirectUri) => {
      const server = await metadata().catch(away);
      try {
        const answer = oauth.validateAuthResponse(server, self, parameters, attempt.state);
        const claims = await redeem(registered, server, { attempt, answer, redirectUri });
        return provenBy(claims, trusted.terms, client, clock());
      } catch (error) {
        throw refusalOf(error);
      }
    },
  };
}

async function parametersOf(
  { state, nonce, verifier }: Attempt,
  { id, scopes }: IssuerClient,
  redirectUri: string,
): Promise<readonly (readonly [string, string])[]> {
  return [
    ['response_type', 'code'],
    ['client_id', id],
    ['redirect_uri', redirectUri],
    ['scope', scopes.join(' ')],
    ['state', state],
    ['nonce', nonce],
    ['code_challenge', await oauth.calculatePKCECodeChallenge(verifier)],
    ['code_challenge_method', 'S256'],
  ];
}

/** A validated answer of the issuer, and what it has to fit. */
type Answered = {
  readonly attempt: Attempt;
  readonly answer: URLSearchParams;
  readonly redirectUri: string;
};

/**
 * Exchanges the code for tokens, verifies the ID token, and asks UserInfo. The tokens are forgotten
 * afterwards.
 *
 * @returns the claims of UserInfo and ID token; those of the ID token win
 */
async function redeem(
  { terms, keys, client, self, options, clock }: Registered,
  server: oauth.AuthorizationServer,
  { attempt: { nonce, verifier }, answer, redirectUri }: Answered,
): Promise<oauth.IDToken> {
  const proof = methodOf(server)(await readSecret(client));
  const tokens = await oauth.processAuthorizationCodeResponse(
    server,
    self,
    await oauth.authorizationCodeGrantRequest(
      server,
      self,
      proof,
      answer,
      redirectUri,
      verifier,
      options,
    ),
    { expectedNonce: nonce, requireIdToken: true },
  );
  const claims = oauth.getValidatedIdTokenClaims(tokens);
  if (claims === undefined || tokens.id_token === undefined)
    throw new SignInRefused('the answer has no ID token');
  await jwtVerify(tokens.id_token, keys.keyOf, {
    issuer: terms.issuer,
    audience: client.id,
    algorithms: [...terms.algorithms],
    clockTolerance: CLOCK_SKEW_S,
    currentDate: new Date(clock()),
  }).catch((error: unknown) => {
    throw isUnusableKey(error)
      ? new SignInRefused('the key that signed the ID token cannot be used')
      : error;
  });
  if (server.userinfo_endpoint === undefined) return claims;
  const told = await oauth.userInfoRequest(server, self, tokens.access_token, options);
  return { ...(await oauth.processUserInfoResponse(server, self, claims.sub, told)), ...claims };
}

function away(error: unknown): never {
  throw error instanceof IssuerAway
    ? error
    : new IssuerAway('its discovery document cannot be used');
}

/** @throws IssuerAway for a URL that is not https */
function allowed(issuer: string, url: string): URL {
  try {
    return policyFor(issuer).allowed(url);
  } catch {
    throw new IssuerAway('its discovery document has no usable authorization_endpoint');
  }
}

function methodOf({ token_endpoint_auth_methods_supported: methods }: oauth.AuthorizationServer) {
  const isPost =
    methods?.includes('client_secret_post') === true && !methods.includes('client_secret_basic');
  return isPost ? oauth.ClientSecretPost : oauth.ClientSecretBasic;
}

/**
 * The user of verified claims. The sign-in ends with the issuer's session, if the ID token has the
 * claim `session_expiry`, and else after the time in the site file, or with the ID token.
 */
function provenBy(
  claims: oauth.IDToken,
  terms: OidcIssuer,
  { lifetime }: IssuerClient,
  now: number,
): ProvenUser {
  const claimed = readClaims(claims, terms);
  if (typeof claimed === 'string') throw new SignInRefused(claimed);
  const { session_expiry: session, exp } = claims;
  const own = lifetime === undefined ? exp * 1000 : now + lifetime * 1000;
  const until = Math.min(typeof session === 'number' ? session * 1000 : own, now + LONGEST_MS);
  if (until <= now) throw new SignInRefused('its session has ended');
  return {
    owner: issuedOwner(terms.issuer, claimed.subject),
    user: claimed.user,
    roles: claimed.roles,
    kind: 'oidc',
    proof: terms.issuer,
    until,
  };
}

const LONGEST_MS = 12 * 3_600_000;
const PLAIN = /^[\w .-]{1,60}$/;

/** Errors of the protocol become refusals; others are the service's own. */
function refusalOf(error: unknown): unknown {
  if (error instanceof oauth.AuthorizationResponseError)
    return new SignInRefused(`it says ${plain(error.error)}`);
  if (error instanceof oauth.ResponseBodyError)
    return new SignInRefused(`it refuses the code: ${plain(error.error)}`);
  if (error instanceof oauth.WWWAuthenticateChallengeError)
    return new SignInRefused('it refuses the request of the service');
  if (error instanceof oauth.OperationProcessingError)
    return new SignInRefused(`its answer does not belong to this sign-in: ${error.message}`);
  if (error instanceof oauth.UnsupportedOperationError)
    return new SignInRefused('its answer has a form that the service does not support');
  if (error instanceof errors.JOSEError)
    return new SignInRefused('the signature of the ID token is not valid');
  return error;
}

/** An error code that the issuer, or whoever wrote the URL, chose. */
function plain(code: string): string {
  return PLAIN.test(code) ? code : 'an error';
}
