import { FetchFailure } from '../../fetch/failure.ts';
import { guardedSend } from '../../fetch/get.ts';
import { ISSUER_LIMITS, IssuerAway, policyFor } from '../oidc/discovery.ts';
import { errorText } from '../../words/system-error.ts';

type Sent = {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: unknown;
};

/** Statuses whose answer has no body (Fetch § 2.2.3). */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Requests to an issuer, for `oauth4webapi`: under the limits of discovery, to public addresses and
 * the issuer's own host only, without redirects.
 *
 * @returns a function like `fetch`, which throws IssuerAway
 */
export function requestsTo(issuer: string) {
  const policy = policyFor(issuer);
  return async (url: string, { method, headers, body }: Sent): Promise<Response> => {
    const signal = AbortSignal.timeout(ISSUER_LIMITS.milliseconds);
    const text = body instanceof URLSearchParams ? body.toString() : undefined;
    try {
      const answer = await guardedSend(
        policy.allowed(url),
        { method, headers, body: text },
        { policy, limits: ISSUER_LIMITS, signal },
      );
      if (answer.status < 200 || answer.status >= 500)
        throw new IssuerAway(`it answered with HTTP status ${answer.status}`);
      const type = answer.headers['content-type'] ?? '';
      const content = WITHOUT_BODY.has(answer.status) ? null : new Uint8Array(answer.body);
      return new Response(content, { status: answer.status, headers: { 'content-type': type } });
    } catch (error) {
      if (error instanceof IssuerAway) throw error;
      const isLate = signal.aborted && !(error instanceof FetchFailure);
      throw new IssuerAway(isLate ? 'it did not answer within 5 s' : errorText(error));
    }
  };
}
