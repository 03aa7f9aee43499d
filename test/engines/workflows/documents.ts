import { createServer } from 'node:http';
import { once } from 'node:events';

/** Small documents on a server of this machine. */
export type Documents = {
  readonly host: string;
  readonly urlOf: (name: string) => string;
  /** paths that were asked for */
  readonly asked: readonly string[];
  readonly close: () => Promise<void>;
};

/** Serves texts by their path. */
export async function serveDocuments(texts: Readonly<Record<string, string>>): Promise<Documents> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    asked.push(path);
    const text = texts[path];
    response.writeHead(text === undefined ? 404 : 200).end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const host = `127.0.0.1:${port}`;
  return {
    host,
    asked,
    urlOf: (name) => `http://${host}${name}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
