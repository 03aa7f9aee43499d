import { requireIdentifier } from './address.ts';
import { fromNetwork } from './lost.ts';
import { openPatience } from './pause.ts';
import { repeated } from './repeat.ts';
import { versionWarning } from './version.ts';

export type ConnectionOptions = {
  /** a bearer token, or how to get one before each request */
  readonly token?: string | (() => string | Promise<string>) | undefined;
  /** for a service with a password file */
  readonly password?: { readonly user: string; readonly password: string } | undefined;
  /** milliseconds within which an answer must be there; 30,000 without it */
  readonly timeout?: number | undefined;
  /** how often a request is sent again; 3 without it. While the service is busy, an ask goes on for
   * half a minute, unless this is 0 */
  readonly retries?: number | undefined;
  /** instead of the global `fetch` */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** is told once that the service has another version; without it, `console.warn` */
  readonly warn?: ((sentence: string) => void) | undefined;
  /** sees each answer, before it is read */
  readonly onAnswer?: ((response: Response) => void) | undefined;
};

/** The way to a service. */
export type Connection = {
  /** the service's address without a final slash */
  readonly url: string;
  /** the address of something below the service */
  readonly placeOf: (...parts: readonly string[]) => string;
  /** Sends a request, if need be again, and reads the whole answer. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Sends a request once; the answer may come as long as it likes. */
  readonly open: (request: Request) => Promise<Response>;
};

const TIMEOUT_MS = 30_000;
const RETRIES = 3;
/** A service that is started anew behind a proxy is back by then. */
const BUSY_MS = 30_000;
/** Statuses whose answers have no body. */
const BARE = new Set([204, 205, 304]);

/** @param url where the service is, perhaps below a path */
export function openConnection(url: string, options: ConnectionOptions = {}): Connection {
  const { timeout = TIMEOUT_MS, retries = RETRIES, onAnswer } = options;
  const { href, origin } = new URL(url);
  const base = href.replace(/[?#].*$/, '').replace(/\/+$/, '');
  const send = options.fetch ?? ((request: Request): Promise<Response> => fetch(request));
  const compare = openComparison(options.warn);
  const open = async (request: Request): Promise<Response> => {
    const own = request.clone();
    const credential = await credentialOf(options);
    // A document of the service may name a place that is not the service's.
    if (credential !== undefined && new URL(own.url).origin === origin)
      own.headers.set('Authorization', credential);
    const response = await fromNetwork(send(own));
    compare(response);
    onAnswer?.(response);
    return response;
  };
  return {
    url: base,
    placeOf: (...parts) => `${base}/${parts.map(partOf).join('/')}`,
    open,
    fetch: (request) =>
      repeated(() => whole(open, request, timeout + waitOf(request)), {
        retries: isRepeatable(request) ? retries : 0,
        busyMs: retries > 0 && hasKey(request) ? BUSY_MS : 0,
        signal: request.signal,
      }),
  };
}

/** @throws TypeError */
function partOf(name: string): string {
  requireIdentifier(name);
  return encodeURIComponent(name);
}

async function credentialOf({ token, password }: ConnectionOptions): Promise<string | undefined> {
  if (token !== undefined) return `Bearer ${typeof token === 'string' ? token : await token()}`;
  if (password === undefined) return undefined;
  const bytes = new TextEncoder().encode(`${password.user}:${password.password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

function openComparison(warn: ConnectionOptions['warn']): (response: Response) => void {
  let isDone = false;
  return ({ headers }) => {
    const version = headers.get('api-version');
    if (isDone || version === null) return;
    isDone = true;
    const sentence = versionWarning(version);
    if (sentence !== undefined) (warn ?? console.warn)(sentence);
  };
}

/** Reads the answer, so that a connection that is lost within it is noticed here. */
async function whole(open: Connection['open'], request: Request, ms: number): Promise<Response> {
  const patience = openPatience(ms, request.signal);
  try {
    const response = await open(new Request(request.clone(), { signal: patience.signal }));
    // A browser shows nothing of a redirect.
    if (response.status === 0 || BARE.has(response.status)) return response;
    const body = await fromNetwork(response.arrayBuffer());
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  } finally {
    patience.close();
  }
}

/** Milliseconds for which the client has asked the service to wait. */
function waitOf({ url }: Request): number {
  return 1000 * (Number(new URL(url).searchParams.get('WAIT')) || 0);
}

/** Reading changes nothing, and with a key the service decides once. */
function isRepeatable(request: Request): boolean {
  return request.method === 'GET' || hasKey(request);
}

/** Is it an ask or an acceptance? */
function hasKey({ headers }: Request): boolean {
  return headers.has('Idempotency-Key');
}
