import { backoff, pause } from './pause.ts';
import { retryAfterOf } from './trouble.ts';

/** What the service, or what is before it, says when it cannot answer now. */
const NOT_NOW = new Set([429, 502, 503, 504]);
/** Who is told to come later than that decides for himself. */
const MOST_PAUSE_MS = 60_000;

export type RepeatTerms = {
  /** how often again */
  readonly retries: number;
  /** milliseconds for which a service that cannot answer now is asked again, however often */
  readonly busyMs: number;
  readonly signal?: AbortSignal | undefined;
};

/** Sends a request again after a lost connection, and where the service cannot answer now. */
export async function repeated(
  send: () => Promise<Response>,
  { retries, busyMs, signal }: RepeatTerms,
): Promise<Response> {
  const begin = performance.now();
  for (let tries = 0; ; tries += 1) {
    const sent = await send().then(
      (response) => ({ response }),
      (error: unknown) => ({ error }),
    );
    signal?.throwIfAborted();
    const ms = 'response' in sent ? pauseAfter(sent.response, tries) : backoff(tries);
    const goesOn = 'response' in sent && performance.now() - begin < busyMs;
    if (ms === undefined || ms > MOST_PAUSE_MS || (tries >= retries && !goesOn)) {
      if ('error' in sent) throw sent.error;
      return sent.response;
    }
    await pause(ms, signal);
  }
}

/** undefined: this is the answer */
function pauseAfter({ status, headers }: Response, tries: number): number | undefined {
  if (!NOT_NOW.has(status)) return undefined;
  const seconds = retryAfterOf(headers);
  // One that wants to be asked at once would be asked in a tight loop.
  return seconds ? seconds * 1000 : backoff(tries);
}
