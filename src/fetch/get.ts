import { lookup as resolveHost } from 'node:dns/promises';
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { hostOf } from './addresses.ts';
import { FetchFailure } from './failure.ts';

/** All addresses of a host name. */
export type Resolver = (
  host: string,
) => Promise<readonly { readonly address: string; readonly family: number }[]>;

/** Limits of a fetch: total time, bytes of the body, number of redirects. */
export type FetchLimits = {
  readonly milliseconds: number;
  readonly bytes: number;
  readonly redirects: number;
};

/**
 * Which URLs and addresses may be asked. Both are checked for the first URL and for every redirect.
 */
export type GetPolicy = {
  /** the URL to ask; throws FetchFailure if it is not allowed */
  readonly allowed: (text: string) => URL;
  /** may a connection for this URL go to this address? */
  readonly isOpen: (url: URL, address: string) => boolean;
};

/** The policy and limits of a fetch; `resolver` is for tests. */
type GetTerms = {
  readonly policy: GetPolicy;
  readonly limits: FetchLimits;
  readonly signal: AbortSignal;
  readonly resolver?: Resolver;
  readonly headers?: Readonly<Record<string, string>>;
  /** reads a body that is not kept in memory; it must respect the limit itself */
  readonly read?: (body: AsyncIterable<unknown>) => Promise<Buffer>;
};

/**
 * The answer to a GET: the body with its entity tag and the time of its last change, or that the
 * body with the sent tag or time is current.
 */
type Got =
  | {
      readonly kind: 'body';
      readonly body: Buffer;
      readonly etag: string | undefined;
      readonly modified: string | undefined;
    }
  | { readonly kind: 'not-modified' };

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The failure for a body that is larger than its limit. */
export function answerTooLarge({ bytes }: Pick<FetchLimits, 'bytes'>): FetchFailure {
  return new FetchFailure('fetch-too-large', `the file is larger than ${bytes} bytes`);
}

/**
 * Passes a body on in pieces.
 * @throws FetchFailure if it exceeds its limit, whatever length was announced
 */
export async function* limited(
  chunks: AsyncIterable<unknown>,
  limits: FetchLimits,
): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of chunks) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > limits.bytes) throw answerTooLarge(limits);
    yield chunk;
  }
}

/**
 * Reads a body.
 * @throws FetchFailure if it exceeds its limit, whatever length was announced
 */
export async function readBody(
  chunks: AsyncIterable<unknown>,
  limits: FetchLimits,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const chunk of limited(chunks, limits)) parts.push(chunk);
  return Buffer.concat(parts);
}

/**
 * A GET that is safe against hostile URLs and answers (OWASP API7:2023): the name is resolved once,
 * its addresses are checked, the connection uses a checked address, and every redirect is checked
 * like a new URL.
 * @throws FetchFailure, and errors of the connection
 */
export async function guardedGet(start: URL, terms: GetTerms): Promise<Got> {
  let url = start;
  for (let hop = 0; hop <= terms.limits.redirects; hop += 1) {
    const lookup = await resolveOnce(url, terms);
    const step = await follow(url, await ask(url, lookup, terms), terms);
    if (!(step instanceof URL)) return step;
    url = step;
  }
  throw new FetchFailure('fetch-failed', `more than ${terms.limits.redirects} redirects`);
}

/** One request, for a body that the caller reads itself: any method, any status. */
type Sent = {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
};

/**
 * Sends one request under a policy, and follows no redirect.
 *
 * @throws FetchFailure, and errors of the connection
 */
export async function guardedSend(
  url: URL,
  sent: Sent,
  terms: Omit<GetTerms, 'headers' | 'read'>,
): Promise<{
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}> {
  const lookup = await resolveOnce(url, terms);
  const response = await ask(url, lookup, { ...terms, ...sent });
  const body = await readBody(response, terms.limits);
  return { status: response.statusCode ?? 0, headers: response.headers, body };
}

/**
 * Resolves a host. Every address must be allowed: one private address among several is the usual
 * trick of DNS rebinding.
 */
async function resolveOnce(
  url: URL,
  { policy, signal, resolver = systemResolver }: GetTerms,
): Promise<LookupFunction> {
  const known = resolver(hostOf(url)).catch(() => {
    throw new FetchFailure('fetch-failed', `the host ${hostOf(url)} is not known`, true);
  });
  const addresses = await within(signal, known);
  if (!addresses.every(({ address }) => policy.isOpen(url, address))) {
    throw new FetchFailure(
      'url-forbidden',
      `the host ${hostOf(url)} has a private or reserved address`,
    );
  }
  const [first] = addresses;
  if (first === undefined)
    throw new FetchFailure('fetch-failed', `the host ${hostOf(url)} has no address`, true);
  return (_host, options, callback) => {
    if (options.all === true) callback(null, [{ ...first }]);
    else callback(null, first.address, first.family);
  };
}

function systemResolver(
  host: string,
): Promise<readonly { readonly address: string; readonly family: number }[]> {
  return resolveHost(host, { all: true });
}

/**
 * The result of the work, unless the signal comes first: a silent name server uses up the time,
 * too.
 */
function within<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** Reads the answer; a redirect gives the next URL. */
async function follow(
  url: URL,
  response: IncomingMessage,
  { limits, policy, read }: GetTerms,
): Promise<Got | URL> {
  const { statusCode = 0, headers } = response;
  if (statusCode === 200) {
    if (Number(headers['content-length'] ?? 0) > limits.bytes) {
      response.destroy();
      throw answerTooLarge(limits);
    }
    return {
      kind: 'body',
      body: await (read?.(response) ?? readBody(response, limits)),
      etag: headers.etag,
      modified: headers['last-modified'],
    };
  }
  response.destroy();
  if (statusCode === 304) return { kind: 'not-modified' };
  if (!REDIRECTS.has(statusCode) || headers.location === undefined) {
    const transient = statusCode >= 500 || statusCode === 408 || statusCode === 429;
    throw new FetchFailure(
      'fetch-failed',
      `${hostOf(url)} answered with HTTP status ${statusCode}`,
      transient,
    );
  }
  const next = URL.parse(headers.location, url.href);
  if (next !== null && !next.protocol.startsWith('http')) {
    throw new FetchFailure(
      'url-forbidden',
      `${hostOf(url)} redirects to a ${next.protocol.slice(0, 40)} URL`,
    );
  }
  return policy.allowed(next?.href ?? headers.location);
}

async function ask(
  url: URL,
  lookup: LookupFunction,
  { signal, headers, method = 'GET', body }: GetTerms & Partial<Sent>,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? requestHttps : requestHttp;
    const own = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'execution-planner' };
    // Its own connection: a pooled one may lead to an address that was checked for another name.
    request(url, { method, lookup, signal, agent: false, headers: { ...own, ...headers } })
      .on('response', resolve)
      .on('error', reject)
      // After an answer of 101 Node drops the connection and says no more, not even when time is up.
      .on('close', () => reject(unanswered(url)))
      .end(body);
  });
}

function unanswered(url: URL): FetchFailure {
  return new FetchFailure(
    'fetch-failed',
    `${hostOf(url)} answered with another protocol than HTTP`,
  );
}
