import { backoff, pause } from './pause.ts';
import { retryAfterOf } from './trouble.ts';

/** What the service, or what is before it, says when it cannot answer now. */
const NOT_NOW = new Set([429, 502, 503, 504]);
/** Who is told to come later than that decides for himself. */
const MOST_PAUSE_MS = 60_000;

/**
 * Sends a request again after a lost connection, and where the service cannot answer now.
 *
 * @param retries how often again
 */
export async function repeated(
  send: () => Promise<Response>,
  retries: number,
  signal?: AbortSignal,
): Promise<Response> {
  for (let tries = 0; ; tries += 1) {
    const sent = await send().then(
      (response) => ({ response }),
      (error: unknown) => ({ error }),
    );
    signal?.throwIfAborted();
    const ms = 'response' in sent ? pauseAfter(sent.response, tries) : backoff(tries);
    if (ms === undefined || ms > MOST_PAUSE_MS || tries >= retries) {
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
  return seconds === undefined ? backoff(tries) : seconds * 1000;
}
