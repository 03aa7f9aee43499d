import { FetchFailure } from './failure.ts';
import { guardedGet, type FetchLimits, type GetPolicy, type Resolver } from './get.ts';
import { errorText } from '../words/system-error.ts';

/**
 * A text from a URL, or that the text with the sent entity tag is current, or why there is none.
 */
type FetchedText =
  | { readonly kind: 'text'; readonly text: string; readonly etag: string | undefined }
  | { readonly kind: 'not-modified' }
  | { readonly kind: 'failed'; readonly message: string };

type TextOptions = {
  readonly policy: GetPolicy;
  readonly limits: FetchLimits;
  /** entity tag of the text that the caller has */
  readonly etag?: string | undefined;
  /** for tests */
  readonly resolver?: Resolver;
};

/** The text of UTF-8 bytes. @throws FetchFailure for other bytes */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new FetchFailure('fetch-failed', 'this is not text in UTF-8');
  }
}

/** Fetches a UTF-8 text under a policy. Never throws. */
export async function fetchText(
  url: string,
  { policy, limits, etag, resolver }: TextOptions,
): Promise<FetchedText> {
  const signal = AbortSignal.timeout(limits.milliseconds);
  try {
    const headers = etag === undefined ? {} : { 'if-none-match': etag };
    const got = await guardedGet(policy.allowed(url), {
      policy,
      limits,
      signal,
      headers,
      ...(resolver && { resolver }),
    });
    if (got.kind === 'body') return { kind: 'text', text: decodeText(got.body), etag: got.etag };
    return etag === undefined
      ? { kind: 'failed', message: 'the server answered 304 to a request without a condition' }
      : got;
  } catch (error) {
    const isLate = signal.aborted && !(error instanceof FetchFailure);
    return {
      kind: 'failed',
      message: isLate
        ? `no complete answer within ${limits.milliseconds / 1000} s`
        : errorText(error),
    };
  }
}
