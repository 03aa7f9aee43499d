import type {
  HttpAnswer,
  HttpErrorName,
  HttpRequest,
  Pair,
} from '../python/modules/requests/exchange.ts';
import { checkOrigin, prepare, RequestFailure } from './fetch-url.ts';
import type { PreparedFetch, RequestsPolicy } from './fetch-url.ts';

/** Counts since the fetcher was opened. */
export type FetchStats = {
  readonly answered: number;
  readonly failed: number;
  readonly cached: number;
};

/**
 * Sends requests of rules to web servers: the only way out of the sandbox, and only to the origins
 * of the policy.
 */
export type Fetcher = {
  /** Always settles within the time limit of the policy; failures are values. */
  fetch(request: HttpRequest): Promise<HttpAnswer>;
  stats(): FetchStats;
  /** Ends running requests. */
  close(): void;
};

const MOST_REDIRECTS = 5;
/** Most running requests; beyond, rules see a ConnectionError. */
const MOST_AT_ONCE = 64;
/** Most answers to keep, and their characters together. */
const MOST_KEPT = 256;
const MOST_KEPT_CHARACTERS = 16 * 1024 ** 2;

type Kept = { readonly answer: Promise<HttpAnswer>; until: number; size: number };

export function openFetcher(policy: RequestsPolicy): Fetcher {
  const closing = new AbortController();
  const kept = new Map<string, Kept>();
  const counts = { answered: 0, failed: 0, cached: 0 };
  let underWay = 0;

  async function perform(request: HttpRequest): Promise<HttpAnswer> {
    // The request comes out of the isolate: a time below 0 must not end the service.
    const timeoutMs = Math.max(0, Math.min(policy.timeoutMs, request.timeoutMs ?? Infinity));
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(Math.ceil(timeoutMs))]);
    const begun = performance.now();
    try {
      if (underWay >= MOST_AT_ONCE)
        throw new RequestFailure('ConnectionError', `more than ${MOST_AT_ONCE} requests at once`);
      const prepared = prepare(request, policy);
      underWay += 1;
      const answer = await follow(prepared, request.followsRedirects, policy, signal).finally(
        () => void (underWay -= 1),
      );
      counts.answered += 1;
      return { ...answer, milliseconds: Math.round((performance.now() - begun) * 1000) / 1000 };
    } catch (error) {
      counts.failed += 1;
      return failureOf(error, request);
    }
  }

  /**
   * Calls share an answer to GET, even a pending one and a failure: a dead server gets one request,
   * not one from every decision.
   */
  function shared(request: HttpRequest): Promise<HttpAnswer> {
    const key = JSON.stringify(request);
    const found = kept.get(key);
    if (found !== undefined && performance.now() < found.until) {
      counts.cached += 1;
      return found.answer;
    }
    const fresh: Kept = { answer: perform(request), until: Infinity, size: key.length };
    kept.delete(key);
    kept.set(key, fresh);
    void fresh.answer.then((answer) => {
      fresh.until = performance.now() + policy.cacheMs;
      fresh.size += answer.kind === 'answered' ? answer.text.length : 0;
      drop();
    });
    return fresh.answer;
  }

  /** The oldest go first. */
  function drop(): void {
    let size = [...kept.values()].reduce((sum, one) => sum + one.size, 0);
    for (const [key, one] of kept) {
      if (kept.size <= MOST_KEPT && size <= MOST_KEPT_CHARACTERS && performance.now() < one.until)
        return;
      kept.delete(key);
      size -= one.size;
    }
  }

  return {
    fetch: (request) => (request.method === 'GET' ? shared(request) : perform(request)),
    stats: () => ({ ...counts }),
    close: () => closing.abort(),
  };
}

type Answered = Omit<Extract<HttpAnswer, { kind: 'answered' }>, 'milliseconds'>;

/** Codes of invalid certificates. */
const CERTIFICATE = /CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_VERIFY/;

async function follow(
  first: PreparedFetch,
  follows: boolean,
  policy: RequestsPolicy,
  signal: AbortSignal,
): Promise<Answered> {
  let request = first;
  for (let hop = 0; hop <= MOST_REDIRECTS; hop += 1) {
    const { method, url, headers, body } = request;
    const init: RequestInit = {
      method,
      headers: headers.map(([name, value]) => [name, value]),
      body,
      redirect: 'manual',
      signal,
    };
    const response = await fetch(url, init);
    const location = response.headers.get('location');
    if (!follows || location === null || ![301, 302, 303, 307, 308].includes(response.status))
      return read(response, url, policy.maxBytes);
    await response.body?.cancel();
    request = redirected(request, response.status, location, policy);
  }
  throw new RequestFailure('TooManyRedirects', `Exceeded ${MOST_REDIRECTS} redirects.`);
}

/** The answer with its text; too large a text, or none, is a failure. */
async function read(response: Response, url: URL, maxBytes: number): Promise<Answered> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes)
      throw new RequestFailure(
        'ChunkedEncodingError',
        `the answer of ${url.origin} is larger than ${maxBytes} bytes`,
      );
    chunks.push(chunk);
  }
  const encoding =
    /charset=["']?([\w.:-]+)/i.exec(response.headers.get('content-type') ?? '')?.[1] ?? 'utf-8';
  const headers = [...response.headers].map(([name, value]): Pair => [name, value]);
  const { status, statusText } = response;
  return {
    kind: 'answered',
    url: url.href,
    status,
    reason: statusText,
    headers,
    text: decoded(Buffer.concat(chunks), encoding, url),
    encoding,
  };
}

function decoded(bytes: Buffer, encoding: string, url: URL): string {
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // The failure is below.
  }
  throw new RequestFailure(
    'ContentDecodingError',
    `the answer of ${url.origin} is not text in ${encoding}`,
  );
}

/** The next request: checked like the first, without credentials if the origin changes. */
function redirected(
  { method, url, headers, body }: PreparedFetch,
  status: number,
  location: string,
  policy: RequestsPolicy,
): PreparedFetch {
  const next = URL.parse(location, url.href);
  if (next === null)
    throw new RequestFailure(
      'InvalidURL',
      `${url.origin} redirects to something that is not a URL`,
    );
  checkOrigin(next, policy);
  const becomesGet = status === 303 ? method !== 'HEAD' : status < 303 && method === 'POST';
  const kept = headers.filter(([name]) => {
    const lower = name.toLowerCase();
    if (next.origin !== url.origin && (lower === 'authorization' || lower === 'cookie'))
      return false;
    return !(becomesGet && lower.startsWith('content-'));
  });
  return {
    method: becomesGet ? 'GET' : method,
    url: next,
    headers: kept,
    body: becomesGet ? null : body,
  };
}

function failureOf(error: unknown, { method, url }: HttpRequest): HttpAnswer {
  const failed = (name: HttpErrorName, message: string): HttpAnswer => ({
    kind: 'failed',
    error: name,
    message,
  });
  if (error instanceof RequestFailure) return failed(error.error, error.message);
  const where = `${method} ${(URL.parse(url)?.origin ?? url).slice(0, 200)}`;
  // requests tells a slow connection from a slow answer; code that catches either one catches this
  // one.
  if (error instanceof DOMException)
    return failed('ConnectTimeout', `${where}: no complete answer in time`);
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const text = `${where}: ${cause instanceof Error ? cause.message : String(cause)}`.slice(0, 500);
  return failed(CERTIFICATE.test(code) ? 'SSLError' : 'ConnectionError', text);
}
