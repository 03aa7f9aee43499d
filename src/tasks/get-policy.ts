import { isPublicAddress } from '../fetch/addresses.ts';
import { FetchFailure } from '../fetch/failure.ts';
import type { GetPolicy } from '../fetch/get.ts';
import { checkUrl, isAllowedHost, type UrlPolicy } from './url-policy.ts';

/** The URL of a text. @throws FetchFailure if the site's policy forbids it */
export function allowedUrl(text: string, policy: UrlPolicy): URL {
  const checked = checkUrl(text, policy);
  if (checked.ok) return checked.url;
  throw new FetchFailure(
    checked.code === 'url-forbidden' ? 'url-forbidden' : 'fetch-failed',
    checked.text,
  );
}

/** The site's policy for a fetch: for the first URL and for every redirect. */
export function getPolicy(policy: UrlPolicy): GetPolicy {
  return {
    allowed: (text) => allowedUrl(text, policy),
    isOpen: (url, address) => isAllowedHost(url, policy) || isPublicAddress(address),
  };
}
