import { isWithoutCredential } from './identity/client.ts';
import { fetchAgain } from './runners/run/fetch-source.ts';
import type { Site } from './site/site.ts';
import { openSources, type Sources } from './sources/sources.ts';
import type { ReadSource } from './sources/known.ts';

/** What the URLs of asks hold, read under the policy of the site in force. */
export type SourcesInForce = {
  /** Never throws. @param patience milliseconds @param client whose turn it takes */
  readonly read: (url: string, patience: number, client: string) => Promise<ReadSource>;
  /** Ends what is being read. */
  readonly close: () => void;
};

/** A notebook with its outputs has megabytes; a larger text is left to the job. */
const LIMITS = { milliseconds: 10_000, bytes: 4 * 1024 ** 2, redirects: 5 };

/** @param site the site in force */
export function followSources(site: () => Pick<Site, 'fetch'>): SourcesInForce {
  const stopping = new AbortController();
  let seen: { readonly policy: string; readonly sources: Sources } | undefined;
  return {
    read: (url, patience, client) => {
      const { fetch: policy } = site();
      const key = JSON.stringify(policy);
      // What an earlier policy allowed is forgotten.
      if (seen?.policy !== key)
        seen = {
          policy: key,
          sources: openSources(
            (at, mark) =>
              fetchAgain(at, policy, {
                limits: LIMITS,
                stopped: stopping.signal,
                ...(mark && { mark }),
              }),
            () => performance.now(),
            isWithoutCredential,
          ),
        };
      return seen.sources.read(url, patience, client);
    },
    close: () => stopping.abort(),
  };
}
