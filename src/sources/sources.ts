import { FetchFailure } from '../fetch/failure.ts';
import { hostOf } from '../fetch/addresses.ts';
import { decodeText } from '../fetch/text.ts';
import type { ReadSource, UnreadSource } from './known.ts';
import { sharedWork } from '../words/shared-work.ts';
import { keepTexts } from './kept.ts';
import { openTurns } from './turns.ts';

/** What URLs hold, remembered for a while. */
export type Sources = {
  /**
   * What a URL holds. Whoever asks for the same URL meanwhile shares the request. Never throws.
   *
   * @param patience milliseconds; afterwards the answer is that nobody read it yet, and it is read
   *   on for whoever asks next
   * @param client whose turn it takes
   */
  readonly read: (url: string, patience: number, client: string) => Promise<ReadSource>;
};

/** Headers by which a server knows a content again. */
type Mark = Readonly<Record<string, string>>;

/** A fetch under the policy of the site: never throws, and ends by itself. */
export type FetchAgain = (
  url: string,
  mark: Mark | undefined,
) => Promise<
  | { readonly ok: true; readonly content: Uint8Array; readonly mark: Mark | undefined }
  | { readonly ok: true; readonly content: undefined }
  | { readonly ok: false; readonly code: UnreadSource['code']; readonly message: string }
>;

/** For so long a text is taken as it is; later the server is asked whether it has changed. */
const FRESH_MS = 60_000;
/** A dead server gets one request in this time, not one from every ask. */
const FAILED_MS = 10_000;
const MOST = { urls: 1000, bytes: 64 * 1024 ** 2, failures: 1000 };

/**
 * @param clock milliseconds, never going back
 * @param isOfCrowd is a client one of many that anybody can be? Absent: none is
 */
export function openSources(
  fetch: FetchAgain,
  clock: () => number,
  isOfCrowd?: (client: string) => boolean,
): Sources {
  const texts = keepTexts<{ readonly until: number; readonly mark: Mark | undefined }>(MOST);
  const failures = new Map<string, { readonly until: number; readonly unread: UnreadSource }>();
  const running = sharedWork<string, ReadSource>();
  const waiting = sharedWork<string, ReadSource>();
  const turns = openTurns(isOfCrowd);
  /** When the most patient one of a client who waits for a URL gives up. */
  const ends = new Map<string, number>();

  const fail = (url: string, unread: UnreadSource): UnreadSource => {
    failures.delete(url);
    failures.set(url, { until: clock() + FAILED_MS, unread });
    const [oldest] = failures.keys();
    if (failures.size > MOST.failures && oldest !== undefined) failures.delete(oldest);
    return unread;
  };

  const request = async (url: string): Promise<ReadSource> => {
    const before = texts.find(url);
    const got = await fetch(url, before?.note.mark);
    if (!got.ok) return fail(url, { kind: 'unread', code: got.code, why: got.message });
    if (got.content === undefined) {
      if (before === undefined)
        return fail(url, { kind: 'unread', code: 'fetch-failed', why: 'nothing came' });
      texts.note(url, { ...before.note, until: clock() + FRESH_MS });
      return before.source;
    }
    const { mark } = got;
    // A file is read again: that takes no time, and people change theirs.
    const until = clock() + (url.startsWith('file:') ? 0 : FRESH_MS);
    try {
      return texts.keep(url, decodeText(got.content), { until, mark });
    } catch (error) {
      if (!(error instanceof FetchFailure)) throw error;
      return fail(url, { kind: 'unread', code: error.code, why: error.message });
    }
  };

  const known = (url: string): ReadSource | undefined => {
    const found = texts.find(url);
    if (found !== undefined && clock() < found.note.until) return found.source;
    const failed = failures.get(url);
    return failed !== undefined && clock() < failed.until ? failed.unread : undefined;
  };

  const inTurn = async (
    url: string,
    patience: number,
    client: string,
    waiter: string,
  ): Promise<ReadSource> => {
    if (turns.areTooMany(client))
      return { kind: 'unread', code: 'busy', why: 'too much is being read at the moment' };
    ends.set(waiter, clock() + patience);
    try {
      return await turns.take(client, hostOf(new URL(url)), async () => {
        // Everybody who has waited too long is answered already.
        if (clock() > (ends.get(waiter) ?? 0)) return lateAfter(patience);
        return known(url) ?? running.do(url, () => request(url));
      });
    } finally {
      ends.delete(waiter);
    }
  };

  return {
    read: async (url, patience, client) => {
      const found = known(url);
      if (found !== undefined) return found;
      const waiter = JSON.stringify([client, url]);
      const end = ends.get(waiter);
      if (end !== undefined) ends.set(waiter, Math.max(end, clock() + patience));
      const work =
        running.now(url) ?? waiting.do(waiter, () => inTurn(url, patience, client, waiter));
      return within(work, patience);
    },
  };
}

/** The work, unless patience ends first. */
async function within(work: Promise<ReadSource>, patience: number): Promise<ReadSource> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<ReadSource>((resolve) => {
    timer = setTimeout(() => resolve(lateAfter(patience)), patience);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

function lateAfter(patience: number): UnreadSource {
  const why = `no complete answer within ${Math.ceil(patience / 1000)} s`;
  return { kind: 'unread', code: 'fetch-timeout', why };
}
