import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** A web server of a test on a free port of the loopback. */
export type WebServer = {
  readonly origin: string;
  /** What was asked: method, path with query, headers and body. */
  readonly asked: readonly Asked[];
  readonly close: () => Promise<void>;
};

type Asked = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
};

export async function startWebServer(
  answer: (asked: Asked, response: ServerResponse) => void,
): Promise<WebServer> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      };
      asked.push(one);
      answer(one, response);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    asked,
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
