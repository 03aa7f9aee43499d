import type { Principal } from '../../identity/principal.ts';
import type { Site } from '../../site/site.ts';
import { seconds } from '../../words/units.ts';

/** The way from here to the database's clock takes a part of it. */
const WAY_S = 1;

/**
 * The site's terms for this principal: an offer does not outlive the time to which the credential
 * is taken that asked for it. Credentials without an end of their own change nothing.
 *
 * @param now milliseconds since 1970, by the clock that took the credential; the
 * database counts the seconds from there
 */
export function withinCredential(site: Site, principal: Principal, now: number): Site {
  if (principal.kind === 'anonymous' || principal.until === undefined) return site;
  const left = Math.max(1, Math.floor((principal.until - now) / 1000) - WAY_S);
  return {
    ...site,
    offers: { ...site.offers, lifetime: seconds(Math.min(site.offers.lifetime, left)) },
  };
}
