import { lookup as resolveHost } from 'node:dns/promises';
import { constants } from 'node:fs';
import { open, realpath, type FileHandle } from 'node:fs/promises';
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { shown } from '../tasks/task.ts';
import {
  checkUrl, filePath, hostOf, isAllowedHost, isBelow, isPublicAddress, type UrlPolicy,
} from '../tasks/url-policy.ts';
import type { JobErrorCode } from '../words/catalogue.ts';
import { errorText } from './system-error.ts';

/** Codes of a source that could not be had. */
export type FetchFailureCode = Extract<
  JobErrorCode,
  'url-forbidden' | 'fetch-failed' | 'fetch-too-large' | 'fetch-timeout'
>;

/** The content of a URL, or why there is none. `transient` is true when trying again may help. */
export type Fetched =
  | { readonly ok: true; readonly content: Buffer }
  | { readonly ok: false; readonly code: FetchFailureCode; readonly message: string; readonly transient: boolean };

/** All addresses of a host name. */
export type Resolver = (host: string) => Promise<readonly { readonly address: string; readonly family: number }[]>;

/** What bounds a fetch; tests make it smaller. */
export type FetchLimits = { readonly milliseconds: number; readonly bytes: number; readonly redirects: number };

const LIMITS: FetchLimits = { milliseconds: 10_000, bytes: 20 * 1024 ** 2, redirects: 5 };

const systemResolver: Resolver = (host) => resolveHost(host, { all: true });

class FetchFailure extends Error {
  readonly code: FetchFailureCode;
  readonly transient: boolean;
  constructor(code: FetchFailureCode, message: string, transient = false) {
    super(message);
    this.code = code;
    this.transient = transient;
  }
}

const tooLarge = (limits: FetchLimits): FetchFailure =>
  new FetchFailure('fetch-too-large', `the file is larger than ${limits.bytes} bytes`);

const allowed = (text: string, policy: UrlPolicy): URL => {
  const checked = checkUrl(text, policy);
  if (checked.ok) return checked.url;
  throw new FetchFailure(checked.code === 'url-forbidden' ? 'url-forbidden' : 'fetch-failed', checked.text);
};

/** Every address must be public: one private address among several is the usual trick of DNS rebinding. */
const resolveOnce = async (url: URL, policy: UrlPolicy, resolver: Resolver): Promise<LookupFunction> => {
  const addresses = await resolver(hostOf(url)).catch(() => {
    throw new FetchFailure('fetch-failed', `the host ${hostOf(url)} is not known`, true);
  });
  if (!isAllowedHost(url, policy) && !addresses.every(({ address }) => isPublicAddress(address))) {
    throw new FetchFailure('url-forbidden', `the host ${hostOf(url)} has a private or reserved address`);
  }
  const [first] = addresses;
  if (first === undefined) throw new FetchFailure('fetch-failed', `the host ${hostOf(url)} has no address`, true);
  return (_host, options, callback) => {
    if (options.all === true) callback(null, [{ ...first }]);
    else callback(null, first.address, first.family);
  };
};

const get = async (url: URL, lookup: LookupFunction, signal: AbortSignal): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? requestHttps : requestHttp;
    // A connection of its own: a pooled one would have been made to an address that was checked for another name.
    const headers = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'execution-planner' };
    request(url, { lookup, signal, agent: false, headers }).on('response', resolve).on('error', reject).end();
  });

const readBody = async (chunks: AsyncIterable<unknown>, limits: FetchLimits): Promise<Buffer> => {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > limits.bytes) throw tooLarge(limits);
    parts.push(chunk);
  }
  return Buffer.concat(parts);
};

/** What a fetch over the network is bound to. */
type Terms = {
  readonly policy: UrlPolicy;
  readonly resolver: Resolver;
  readonly limits: FetchLimits;
  readonly signal: AbortSignal;
};

const fetchHttp = async (start: URL, { policy, resolver, limits, signal }: Terms): Promise<Buffer> => {
  let url = start;
  for (let hop = 0; hop <= limits.redirects; hop += 1) {
    const response = await get(url, await resolveOnce(url, policy, resolver), signal);
    const { statusCode = 0, headers } = response;
    if (statusCode === 200) {
      if (Number(headers['content-length'] ?? 0) <= limits.bytes) return readBody(response, limits);
      response.destroy();
      throw tooLarge(limits);
    }
    response.destroy();
    if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined) {
      const transient = statusCode >= 500 || statusCode === 408 || statusCode === 429;
      throw new FetchFailure('fetch-failed', `${hostOf(url)} answered with HTTP status ${statusCode}`, transient);
    }
    const next = URL.parse(headers.location, url.href);
    if (next !== null && !next.protocol.startsWith('http')) {
      throw new FetchFailure('url-forbidden', `${hostOf(url)} redirects to a ${shown(next.protocol)} URL`);
    }
    url = allowed(next?.href ?? headers.location, policy);
  }
  throw new FetchFailure('fetch-failed', `more than ${limits.redirects} redirects`);
};

/** The path is checked on the open file, so that no symbolic link, however timed, leads out of the lent directories. */
const readLent = async (file: FileHandle, policy: UrlPolicy, limits: FetchLimits): Promise<Buffer> => {
  const [real, stats] = await Promise.all([realpath(`/proc/self/fd/${file.fd}`), file.stat()]);
  const roots = await Promise.all(policy.fileRoots.map((root) => realpath(root).catch(() => root)));
  if (!isBelow(real, roots)) {
    throw new FetchFailure('url-forbidden', 'this file is outside the directories that the site lends');
  }
  if (!stats.isFile()) throw new FetchFailure('fetch-failed', 'this is not a regular file');
  if (stats.size > limits.bytes) throw tooLarge(limits);
  return readBody(file.createReadStream({ autoClose: false }), limits);
};

const fetchFile = async (url: URL, policy: UrlPolicy, limits: FetchLimits): Promise<Buffer> => {
  // O_NONBLOCK: opening a FIFO without a writer would wait for ever.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  const file = await open(filePath(url) ?? '', flags).catch(() => {
    throw new FetchFailure('fetch-failed', 'this file cannot be read');
  });
  try {
    return await readLent(file, policy, limits);
  } finally {
    await file.close();
  }
};

const failureOf = (error: unknown, signal: AbortSignal, limits: FetchLimits): Fetched => {
  if (error instanceof FetchFailure) {
    return { ok: false, code: error.code, message: error.message, transient: error.transient };
  }
  if (signal.aborted) {
    const message = `no complete answer within ${limits.milliseconds / 1000} s`;
    return { ok: false, code: 'fetch-timeout', message, transient: true };
  }
  return { ok: false, code: 'fetch-failed', message: shown(errorText(error)), transient: true };
};

/**
 * Fetches what a task names, under the site's policy: the name is resolved once, private results are refused, the
 * connection goes to the address that was checked, and every redirect is checked like a new URL (OWASP API7:2023).
 * At most 10 s, 20 MB and 5 redirects. Never throws.
 */
export const fetchSource = async (
  text: string,
  policy: UrlPolicy,
  { resolver = systemResolver, limits = LIMITS }: { readonly resolver?: Resolver; readonly limits?: FetchLimits } = {},
): Promise<Fetched> => {
  const signal = AbortSignal.timeout(limits.milliseconds);
  try {
    const url = allowed(text, policy);
    if (url.protocol === 'file:') return { ok: true, content: await fetchFile(url, policy, limits) };
    return { ok: true, content: await fetchHttp(url, { policy, resolver, limits, signal }) };
  } catch (error) {
    return failureOf(error, signal, limits);
  }
};
