import { FetchFailure } from '../../fetch/failure.ts';
import { fetchText } from '../../fetch/text.ts';
import { isPublicAddress } from '../../fetch/addresses.ts';
import type { FetchLimits, GetPolicy } from '../../fetch/get.ts';
import { isTrustworthyUrl } from '../../site/identity.ts';

/** An issuer's documents are some kB; whatever is larger or slower is not waited for. */
const LIMITS: FetchLimits = { milliseconds: 5000, bytes: 256 * 1024, redirects: 0 };

/** An issuer whose keys cannot be had, in words for the operator. */
export class IssuerAway extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'IssuerAway';
  }
}

/**
 * OpenID Connect Discovery § 4: the path is added to the issuer, whose own slash at the end goes.
 */
export function discoveryUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
}

/**
 * The public keys of an issuer, found by its discovery document.
 *
 * @returns the JSON Web Key Set, not yet looked into
 * @throws IssuerAway when a document cannot be had or is another issuer's
 */
export async function fetchKeySet(issuer: string): Promise<Readonly<Record<string, unknown>>> {
  const { issuer: named, jwks_uri: keys } = await readObject(issuer, discoveryUrl(issuer));
  if (named !== issuer) throw new IssuerAway('its discovery document names another issuer');
  if (typeof keys !== 'string') throw new IssuerAway('its discovery document has no jwks_uri');
  return readObject(issuer, keys);
}

async function readObject(issuer: string, url: string): Promise<Readonly<Record<string, unknown>>> {
  const fetched = await fetchText(url, { policy: policyFor(issuer), limits: LIMITS });
  if (fetched.kind !== 'text')
    throw new IssuerAway(
      fetched.kind === 'failed' ? fetched.message : 'it answered without a body',
    );
  try {
    const document: unknown = JSON.parse(fetched.text);
    if (typeof document === 'object' && document !== null && !Array.isArray(document))
      return { ...document };
  } catch {
    // Said below.
  }
  throw new IssuerAway('its document is not a JSON object');
}

/**
 * The operator's issuer may have any address; what its documents lead to must
 * be public, or the issuer itself.
 */
function policyFor(issuer: string): GetPolicy {
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
