import { openFetcher, type Fetcher } from '../sandbox/fetcher.ts';
import type { Site } from '../site/site.ts';

/** Fetches URLs for the rules of a site; undefined if it allows no servers. */
export function openRequests({ requests }: Pick<Site, 'requests'>): Fetcher | undefined {
  return (
    requests &&
    openFetcher({
      origins: requests.origins,
      timeoutMs: requests.timeout * 1000,
      maxBytes: requests.size * 1024 ** 2,
      cacheMs: requests.cache * 1000,
    })
  );
}
