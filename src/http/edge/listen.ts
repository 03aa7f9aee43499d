import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { announcesMore } from '../../words/body-problems.ts';
import { CannotStart } from '../../words/cannot-start.ts';

/**
 * How long an idle connection stays open: longer than proxies and clients keep theirs (nginx and
 * AWS 60 s, Traefik and Go 90 s), so that the side that sends also closes, and no request meets a
 * closing connection. With Node's 5 s, requests met ECONNRESET, after which a client may not repeat
 * a POST.
 */
const KEEP_ALIVE_MS = 120_000;
/**
 * For the head of a request. It does not count for an idle connection, so it may be shorter than
 * `KEEP_ALIVE_MS`.
 */
const HEADERS_MS = 30_000;
/**
 * For a whole request to arrive: 16 MiB over 0.5 Mbit/s. Answers (WAIT, events, results) may take
 * any time.
 */
const REQUEST_MS = 300_000;
const DRAIN_LIMIT_MS = 10_000;
const DRAIN_LOOK_MS = 50;

const TIMES = {
  keepAliveTimeout: KEEP_ALIVE_MS,
  headersTimeout: HEADERS_MS,
  requestTimeout: REQUEST_MS,
};

/** An address of this machine; `port` 0 is any free one. */
type Address = {
  readonly port: number;
  readonly host: string;
  /** others that say so, too, may serve on it; default: false */
  readonly isShared?: boolean;
  /** nobody is asked to send a larger body, KiB; default: everybody */
  readonly maxBodyKib?: number;
};

/**
 * Serves on an address of this machine.
 *
 * @throws CannotStart when the address is in use, forbidden or not of this machine.
 */
export function listenForRequests(
  app: RequestListener,
  { port, host, isShared = false, maxBodyKib = Infinity }: Address,
): Promise<Server> {
  return new Promise((done, failed) => {
    const serve: RequestListener = (request, response) => {
      mendHead(request);
      app(request, response);
    };
    const server = createServer(TIMES, serve);
    // With `Expect: 100-continue`: a refusal comes instead of the body (RFC 9110 § 10.1.1).
    server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      if (!announcesMore(request, maxBodyKib)) response.writeContinue();
      serve(request, response);
    });
    server.once('error', (error) =>
      failed(
        new CannotStart(
          `cannot listen on HOST ${host}, PORT ${port}: ${error.message}. ${remedyOf(error)}`,
        ),
      ),
    );
    server.listen({ port, host, reusePort: isShared }, () => done(server));
  });
}

/**
 * Finds the port that several processes will share, which nobody else serves on.
 *
 * @throws CannotStart as `listenForRequests`
 */
export async function claimPort(at: Address): Promise<number> {
  const server = await listenForRequests(() => undefined, at);
  const { port } = addressOf(server);
  await drain(server);
  return port;
}

/** The URL of a server for clients on this machine. */
export function urlOf(server: Server, host: string): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${addressOf(server).port}`;
}

/** Accepts no new connections and waits for the answers to open requests, up to the limit. */
export async function drain(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  // A client that keeps its connection for a next request would delay the drain.
  const idle = setInterval(() => server.closeIdleConnections(), DRAIN_LOOK_MS);
  const cut = setTimeout(() => server.closeAllConnections(), DRAIN_LIMIT_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
}

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no address');
  return address;
}

/** The host and the rest of a whole URL, as a client sends it to a proxy. */
const ABSOLUTE = /^[a-z][a-z\d+.-]*:\/\/(?:[^/?#]*@)?([^/?#]*)(.*)$/i;

/**
 * Makes a head one that all readers take as RFC 9110 and 9112 do: a host in the request's target
 * counts, whatever the header Host says (RFC 9112 § 3.2.2), and only GET has a Range (§ 14.2).
 */
function mendHead(request: IncomingMessage): void {
  const { method, headers, url = '' } = request;
  if (method !== 'GET') delete headers.range;
  if (url.startsWith('/')) return;
  // Only OPTIONS may be for the service as a whole (RFC 9112 § 3.2.4); Express has no place for `*`.
  if (url === '*' && method !== 'OPTIONS') request.url = '/*';
  const [, host, rest = ''] = ABSOLUTE.exec(url) ?? [];
  if (host === undefined) return;
  headers.host = host;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
}

function remedyOf({ code }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'EADDRINUSE':
      return 'Choose another PORT (0 takes any free one), or stop the program that uses it.';
    case 'EACCES':
      return 'Choose a PORT from 1024 on.';
    default:
      return 'HOST must be an address of this machine, or a name of one.';
  }
}
