import type {
  HttpBody,
  HttpErrorName,
  HttpRequest,
  Pair,
} from '../python/modules/requests/exchange.ts';

/** The origins that rules may send requests to, and limits on the answers. */
export type RequestsPolicy = {
  /** Origins, as `URL.origin` writes them: `https://stats.example.org:8086`. */
  readonly origins: readonly string[];
  /** Longest time of one answer, milliseconds. */
  readonly timeoutMs: number;
  /** Largest answer, bytes after decompression. */
  readonly maxBytes: number;
  /** Age up to which an answer to GET serves again, milliseconds. */
  readonly cacheMs: number;
};

/** A request that ends in an exception of `requests`. */
export class RequestFailure extends Error {
  readonly error: HttpErrorName;
  constructor(error: HttpErrorName, message: string) {
    super(message);
    this.error = error;
  }
}

const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
]);
const LONGEST_URL = 8_000;
const LARGEST_BODY = 256 * 1024;
const MOST_HEADERS = 50;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Headers that set the destination or the end of a message: they could reach another server behind
 * an allowed one.
 */
const OF_THE_CONNECTION = new RegExp(
  '^(?:host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|keep-alive|' +
    'proxy-.*|sec-.*|forwarded|x-forwarded-.*)$',
  'i',
);

/** A request that the policy allows, ready to send. */
export type PreparedFetch = {
  readonly method: string;
  readonly url: URL;
  readonly headers: readonly Pair[];
  readonly body: string | null;
};

/** Prepares a request. Throws RequestFailure for what the policy or HTTP forbids. */
export function prepare(request: HttpRequest, policy: RequestsPolicy): PreparedFetch {
  const { method, params, headers, body } = request;
  if (!METHODS.has(method))
    throw new RequestFailure('InvalidSchema', `rules may not use the method '${cut(method)}'`);
  const url = parseUrl(request.url);
  const [auth, bare] = credentials(url, request.auth);
  const query = encoded(params);
  if (query !== '') bare.search = bare.search === '' ? query : `${bare.search}&${query}`;
  if (bare.href.length > LONGEST_URL)
    throw new RequestFailure('InvalidURL', `the URL is longer than ${LONGEST_URL} characters`);
  checkOrigin(bare, policy);
  checkHeaders(headers);
  const [text, type] = body === null ? [null, null] : bodyText(body);
  if (text !== null && text.length > LARGEST_BODY)
    throw new RequestFailure('InvalidURL', `the body is larger than ${LARGEST_BODY} characters`);
  const given = new Set(headers.map(([name]) => name.toLowerCase()));
  const added: readonly (Pair | null)[] = [
    ['user-agent', 'execution-planner'],
    ['accept', '*/*'],
    type === null ? null : ['content-type', type],
    auth === null
      ? null
      : ['authorization', `Basic ${Buffer.from(auth.join(':')).toString('base64')}`],
  ];
  const own = added.filter((pair) => pair !== null).filter(([name]) => !given.has(name));
  return {
    method,
    url: bare,
    headers: [...own, ...headers],
    body: method === 'GET' || method === 'HEAD' ? null : text,
  };
}

/** Throws RequestFailure unless the policy lists the origin. */
export function checkOrigin(url: URL, { origins }: RequestsPolicy): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new RequestFailure(
      'InvalidSchema',
      `No connection adapters were found for '${cut(url.href)}'`,
    );
  if (!origins.includes(url.origin))
    throw new RequestFailure('ConnectionError', `the site does not let rules reach ${url.origin}`);
}

/** A text of the rules, short enough for a message. */
function cut(text: string): string {
  return text.slice(0, 200);
}

function parseUrl(text: string): URL {
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:/.test(text))
    throw new RequestFailure(
      'MissingSchema',
      `Invalid URL '${cut(text)}': No scheme supplied. Perhaps you meant https://${cut(text)}?`,
    );
  const url = text.length > LONGEST_URL ? null : URL.parse(text);
  if (url === null) throw new RequestFailure('InvalidURL', `Invalid URL '${cut(text)}'`);
  return url;
}

/** User and password, those of the call before those in the URL, and the URL without them. */
function credentials(url: URL, given: Pair | null): readonly [Pair | null, URL] {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  bare.hash = '';
  if (given !== null || (url.username === '' && url.password === '')) return [given, bare];
  return [[decodeURIComponent(url.username), decodeURIComponent(url.password)], bare];
}

function encoded(fields: readonly Pair[]): string {
  return new URLSearchParams(
    fields.map(([name, value]): [string, string] => [name, value]),
  ).toString();
}

function checkHeaders(headers: readonly Pair[]): void {
  if (headers.length > MOST_HEADERS)
    throw new RequestFailure('InvalidHeader', `more than ${MOST_HEADERS} headers`);
  for (const [name, value] of headers) {
    if (!TOKEN.test(name) || !VALUE.test(value))
      throw new RequestFailure('InvalidHeader', `Invalid header '${cut(name)}'`);
    if (OF_THE_CONNECTION.test(name))
      throw new RequestFailure('InvalidHeader', `rules may not set the header '${cut(name)}'`);
  }
}

function bodyText(body: HttpBody): readonly [string, string | null] {
  if (body.kind === 'text') return [body.text, body.type];
  return [encoded(body.fields), 'application/x-www-form-urlencoded'];
}
