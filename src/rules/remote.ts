import { listedHosts, type AllowList } from '../fetch/allow-list.ts';
import type { Resolver } from '../fetch/get.ts';
import { fetchText } from '../fetch/text.ts';
import { shownUrl, type RuleUrl } from '../site/rule-origin.ts';
import { sha256Of, type SavedCopy, type CopyStore } from './saved-copies.ts';
import { FETCH_LIMITS } from './limits.ts';
import { printInstant } from '../words/iso8601.ts';

/** What a URL is worth now: a copy, with what is wrong with it, or only what is wrong. */
export type Remote =
  | { readonly copy: SavedCopy; readonly trouble: string | undefined }
  | { readonly copy: undefined; readonly trouble: string };

/**
 * How a URL is asked. `due`: when its time is over. `now`: in any case. `kept`: not at all, the
 * last good copy of the disk is taken.
 */
export type FetchWhen = 'due' | 'now' | 'kept';

/** What remote rule files are read with. */
export type RemoteTerms = {
  readonly hosts: AllowList;
  readonly copies: CopyStore;
  /** milliseconds since 1970 */
  readonly clock: () => number;
  /** for tests */
  readonly resolver?: Resolver | undefined;
};

/** One rule file of a host, and when to ask for it again. */
export type RemoteRules = {
  readonly ask: (asking: FetchWhen) => Promise<Remote>;
  /** milliseconds since 1970; undefined: never, its content is pinned and there */
  readonly nextAsk: () => number | undefined;
};

/**
 * Follows one URL: asks it, remembers what it last served, and falls back to
 * that or to the copy of the disk.
 */
export function openRemote(
  origin: RuleUrl,
  { hosts, copies, clock, resolver }: RemoteTerms,
): RemoteRules {
  const { url, refresh } = origin;
  const policy = listedHosts(hosts);
  let held: Remote = { copy: undefined, trouble: 'it was not asked yet' };
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
      return copy === undefined ? held : stale(copy, 'the last that could be used is taken');
    }
    if (asking === 'due' && clock() < due) return held;
    const before = held.copy ?? (await onDisk());
    // A digest has one content: what is there needs no server.
    const isPinned = origin.sha256 !== undefined && before !== undefined;
    held = isPinned ? { copy: before, trouble: undefined } : await fetchOver(before);
    due = clock() + refresh * 1000;
    return held;
  };

  return {
    ask,
    nextAsk: () => (origin.sha256 !== undefined && held.copy !== undefined ? undefined : due),
  };
}

function pinProblem(copy: SavedCopy, { sha256 }: RuleUrl): string | undefined {
  return sha256 === undefined || sha256 === copy.sha256
    ? undefined
    : `its SHA-256 is ${copy.sha256} and not the ${sha256} that the site file pins; it is not used`;
}
