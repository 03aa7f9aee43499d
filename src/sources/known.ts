import type { FetchFailureCode } from '../fetch/failure.ts';

/** What a URL holds; the same content is the same object, whatever its URL. */
export type HeldText = { readonly kind: 'text'; readonly text: string };

/** Why nobody read what a URL holds. */
export type UnreadSource = {
  readonly kind: 'unread';
  /** `busy`: too much is being read at the moment */
  readonly code: FetchFailureCode | 'busy';
  readonly why: string;
};

export type ReadSource = HeldText | UnreadSource;

/**
 * What the URLs of an ask hold, as far as it was read before the ask is decided. Reading an ask
 * does no I/O: it looks for URLs here, and what it does not find is read before it looks again.
 */
export type KnownSources = {
  /** undefined: not yet, or nobody reads */
  readonly find: (url: string) => ReadSource | undefined;
};

/** For whoever reads nothing. */
export const NO_SOURCES: KnownSources = { find: () => undefined };
