import { listedHosts, type AllowList } from '../fetch/allow-list.ts';
import type { Resolver } from '../fetch/get.ts';
import { fetchText } from '../fetch/text.ts';
import { shownUrl, type RuleUrl } from '../site/rule-origin.ts';
import { sha256Of, type SavedCopy, type CopyStore } from './saved-copies.ts';
import { FETCH_LIMITS } from './limits.ts';
import { printInstant } from '../words/iso8601.ts';

/** The current state of a URL: a copy, a copy with a problem, or only a problem. */
type Remote =
  | { readonly copy: SavedCopy; readonly trouble: string | undefined }
  | { readonly copy: undefined; readonly trouble: string };

/**
 * How to ask a URL. `due`: if its refresh time is over. `now`: always. `kept`: not at all; the last
 * good copy on disc is used.
 */
export type FetchWhen = 'due' | 'now' | 'kept';

/** The settings for reading remote rule files. */
type RemoteTerms = {
  readonly hosts: AllowList;
  readonly copies: CopyStore;
  /** milliseconds since 1970 */
  readonly clock: () => number;
  /** for tests */
  readonly resolver?: Resolver | undefined;
};

/** A rule file on a host, and when to ask for it again. */
export type RemoteRules = {
  readonly ask: (asking: FetchWhen) => Promise<Remote>;
  /** milliseconds since 1970; undefined: never, because its content is pinned and present */
  readonly nextAsk: () => number | undefined;
};

/**
 * Follows one URL: asks it, remembers the last content, and falls back to that or to the copy on
 * disc.
 */
export function openRemote(
  origin: RuleUrl,
  { hosts, copies, clock, resolver }: RemoteTerms,
): RemoteRules {
  const { url, refresh } = origin;
  const policy = listedHosts(hosts);
  let latest: Remote = { copy: undefined, trouble: 'it was not fetched yet' };
  let due = 0;

  const stale = (copy: SavedCopy, message: string): Remote => ({
    copy,
    trouble: `${message}; the copy of ${printInstant(copy.fetched)} is used`,
  });

  const fetchOver = async (before: SavedCopy | undefined): Promise<Remote> => {
    const fetched = await fetchText(url, {
      policy,
      limits: FETCH_LIMITS,
      etag: before?.etag,
      ...(resolver && { resolver }),
    });
    if (fetched.kind === 'not-modified' && before !== undefined)
      return { copy: before, trouble: undefined };
    if (fetched.kind === 'text') {
      const copy = {
        url,
        text: fetched.text,
        sha256: sha256Of(fetched.text),
        etag: fetched.etag,
        fetched: clock(),
      };
      const problem = pinProblem(copy, origin);
      if (problem === undefined) return { copy, trouble: undefined };
      return before === undefined ? { copy: undefined, trouble: problem } : stale(before, problem);
    }
    const message =
      `${shownUrl(url)} cannot be fetched: ` +
      `${fetched.kind === 'failed' ? fetched.message : 'nothing came'}`;
    return before === undefined ? { copy: undefined, trouble: message } : stale(before, message);
  };

  const onDisk = async (): Promise<SavedCopy | undefined> => {
    const copy = await copies.find(url);
    return copy !== undefined && pinProblem(copy, origin) === undefined ? copy : undefined;
  };

  const ask = async (asking: FetchWhen): Promise<Remote> => {
    if (asking === 'kept') {
      const copy = await onDisk();
      return copy === undefined ? latest : stale(copy, 'the last usable one is in force');
    }
    if (asking === 'due' && clock() < due) return latest;
    const before = latest.copy ?? (await onDisk());
    // A pinned content never changes, so a copy of it needs no request.
    const isPinned = origin.sha256 !== undefined && before !== undefined;
    latest = isPinned ? { copy: before, trouble: undefined } : await fetchOver(before);
    due = clock() + refresh * 1000;
    return latest;
  };

  return {
    ask,
    nextAsk: () => (origin.sha256 !== undefined && latest.copy !== undefined ? undefined : due),
  };
}

function pinProblem(copy: SavedCopy, { sha256 }: RuleUrl): string | undefined {
  return sha256 === undefined || sha256 === copy.sha256
    ? undefined
    : `its SHA-256 is ${copy.sha256}, but the site file pins ${sha256}; it is not used`;
}
