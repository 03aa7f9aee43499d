import type { Principal } from '../../identity/principal.ts';
import type { Site } from '../../site/site.ts';
import { seconds } from '../../words/units.ts';

/** Allows for the time between this clock and the database's. */
const WAY_S = 1;

/**
 * The site's terms for this principal: an offer expires no later than the credential of its ask.
 *
 * @param now milliseconds since 1970, by the clock that checked the credential
 */
export function withinCredential(site: Site, principal: Principal, now: number): Site {
  if (principal.kind === 'anonymous' || principal.until === undefined) return site;
  const left = Math.max(1, Math.floor((principal.until - now) / 1000) - WAY_S);
  return {
    ...site,
    offers: { ...site.offers, lifetime: seconds(Math.min(site.offers.lifetime, left)) },
  };
}
