import { createServer, type RequestListener, type Server } from 'node:http';
import { CannotStart } from '../../words/cannot-start.ts';

/**
 * An idle connection stays open for longer than proxies and clients keep theirs (nginx and
 * AWS 60 s, Traefik and Go 90 s): the side that sends is the one that closes, so no
 * request meets a connection that is being closed. Node's 5 s made them meet ECONNRESET,
 * which nobody may repeat for a POST.
 */
export const KEEP_ALIVE_MS = 120_000;
/**
 * For the head of a request. It does not count for an idle connection, so it
 * may be less than `KEEP_ALIVE_MS`.
 */
const HEADERS_MS = 30_000;
/**
 * For a whole request to arrive, 16 MiB over 0.5 Mbit/s. What an answer takes (WAIT,
 * events, results) has no limit here.
 */
const REQUEST_MS = 300_000;
const DRAIN_LIMIT_MS = 10_000;
const DRAIN_LOOK_MS = 50;

const TIMES = {
  keepAliveTimeout: KEEP_ALIVE_MS,
  headersTimeout: HEADERS_MS,
  requestTimeout: REQUEST_MS,
};

/**
 * Serves on an address of this machine.
 *
 * @param at `port` 0 takes any free one
 * @throws CannotStart when the address is taken, is not of this machine or may not be used.
 */
export function listenForRequests(
  app: RequestListener,
  { port, host }: { readonly port: number; readonly host: string },
): Promise<Server> {
  return new Promise((done, failed) => {
    const server = createServer(TIMES, app);
    server.once('error', (error) =>
      failed(
        new CannotStart(
          `cannot listen on HOST ${host}, PORT ${port}: ${error.message}. ${remedyOf(error)}`,
        ),
      ),
    );
    server.listen(port, host, () => done(server));
  });
}

/** Where a server is reached by clients on this machine. */
export function urlOf(server: Server, host: string): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no address');
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${address.port}`;
}

/**
 * No new connections, the open requests get their answers; what still hangs after the limit is cut.
 */
export async function drain(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  // A client that keeps its connection for the next request would hold the
  // drain for as long as that is kept.
  const idle = setInterval(() => server.closeIdleConnections(), DRAIN_LOOK_MS);
  const cut = setTimeout(() => server.closeAllConnections(), DRAIN_LIMIT_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
}

function remedyOf({ code }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'EADDRINUSE':
      return 'Choose another PORT (0 takes any free one) or stop what uses it.';
    case 'EACCES':
      return 'Choose a PORT from 1024 on.';
    default:
      return 'HOST must be an address of this machine, or a name of one.';
  }
}
