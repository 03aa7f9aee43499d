import { FetchFailure } from '../../fetch/failure.ts';
import { fetchText } from '../../fetch/text.ts';
import { isPublicAddress } from '../../fetch/addresses.ts';
import type { FetchLimits, GetPolicy } from '../../fetch/get.ts';
import { isTrustworthyUrl } from '../../site/identity.ts';
import { isRecord, parsedJson } from '../../words/record.ts';

/** An issuer's documents have some kB; a larger or slower document fails. */
export const ISSUER_LIMITS: FetchLimits = { milliseconds: 5000, bytes: 256 * 1024, redirects: 0 };

/** Why the service cannot get an issuer's keys, in words for the operator. */
export class IssuerAway extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'IssuerAway';
  }
}

/**
 * Address of the discovery document (OpenID Connect Discovery § 4): the issuer without its final
 * slash, and the path.
 */
export function discoveryUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
}

/**
 * Fetches the public keys of an issuer, which its discovery document names.
 *
 * @returns the JSON Web Key Set, not checked yet
 * @throws IssuerAway when a document is missing or belongs to another issuer
 */
export async function fetchKeySet(issuer: string): Promise<Readonly<Record<string, unknown>>> {
  const { issuer: named, jwks_uri: keys } = await readObject(issuer, discoveryUrl(issuer));
  if (named !== issuer) throw new IssuerAway('its discovery document names another issuer');
  if (typeof keys !== 'string') throw new IssuerAway('its discovery document has no jwks_uri');
  return readObject(issuer, keys);
}

/**
 * The operator's issuer may have any address; the URLs in its documents must be public or on its
 * own host.
 */
export function policyFor(issuer: string): GetPolicy {
  return {
    allowed: (text) => {
      const url = URL.parse(text);
      if (url === null || !isTrustworthyUrl(url))
        throw new FetchFailure('url-forbidden', 'the issuer leads to a URL that is not https');
      return url;
    },
    isOpen: (url, address) => url.host === URL.parse(issuer)?.host || isPublicAddress(address),
  };
}

async function readObject(issuer: string, url: string): Promise<Readonly<Record<string, unknown>>> {
  const fetched = await fetchText(url, { policy: policyFor(issuer), limits: ISSUER_LIMITS });
  if (fetched.kind !== 'text')
    throw new IssuerAway(
      fetched.kind === 'failed' ? fetched.message : 'it answered without a body',
    );
  const document = parsedJson(fetched.text);
  if (!isRecord(document)) throw new IssuerAway('its document is not a JSON object');
  return document;
}
