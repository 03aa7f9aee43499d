import { once } from 'node:events';
import {
  createServer,
  request,
  type RequestListener,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { pipeline } from 'node:stream/promises';

/** How a proxy changes requests. */
export type ProxyTerms = {
  /** path prefix that it serves and removes; absent: none */
  readonly prefix?: string;
  /** headers that it sets, given those of the client */
  readonly headers?: (client: OutgoingHttpHeaders) => OutgoingHttpHeaders;
  /** certificate and key for https, both PEM */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** called with every answer before the client has it */
  readonly seen?: (passed: Passed) => void;
  /** cuts answers that take longer, milliseconds; absent: none */
  readonly cutAfter?: number;
};

/** A request and the status of its answer. */
export type Passed = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly status: number;
};

export type Proxy = {
  readonly port: number;
  /** paths of the answers that are under way */
  readonly passing: () => readonly string[];
  readonly close: () => Promise<void>;
};

/** A reverse proxy as operators use it: below a path, with headers of its own. */
export async function startProxy(
  target: string,
  { prefix = '', headers = () => ({}), tls, seen = () => undefined, cutAfter }: ProxyTerms,
): Promise<Proxy> {
  const { hostname, port } = new URL(target);
  const passing = new Map<object, string>();
  const pass: RequestListener = (incoming, response) => {
    const { url = '/', method = 'GET', headers: own } = incoming;
    if (!url.startsWith(`${prefix}/`)) {
      response.writeHead(404).end('this is the proxy\n');
      return;
    }
    const outgoing = request({
      hostname,
      port,
      method,
      path: url.slice(prefix.length),
      headers: { ...own, host: `${hostname}:${port}`, ...headers(own) },
    });
    outgoing.once('response', (answer) => {
      const { statusCode: status = 502, rawHeaders } = answer;
      seen({ method, path: url, headers: own, status });
      // The client left before its answer came, and the event `close` does not come again.
      if (response.closed) return void answer.destroy();
      response.writeHead(status, rawHeaders);
      passing.set(response, url);
      const cut = cutAfter && setTimeout(() => response.destroy(), cutAfter);
      response.once('close', () => {
        passing.delete(response);
        clearTimeout(cut);
      });
      // A client may disconnect.
      pipeline(answer, response).catch(() => undefined);
    });
    outgoing.once('error', () => response.destroy());
    pipeline(incoming, outgoing).catch(() => undefined);
  };
  const server = tls === undefined ? createServer(pass) : createTlsServer(tls, pass);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    port: address.port,
    passing: () => [...passing.values()],
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
