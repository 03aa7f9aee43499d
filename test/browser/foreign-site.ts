import { once } from 'node:events';
import { createServer as createWebServer } from 'node:http';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A foreign site with pages that the test chooses. */
export type ForeignSite = {
  readonly port: number;
  readonly put: (html: string) => string;
  readonly close: () => Promise<void>;
};

export async function openForeignSite(): Promise<ForeignSite> {
  const pages: string[] = [];
  const server = createWebServer((request, response) => {
    const page = pages[Number(request.url?.slice(1))];
    response
      .writeHead(page === undefined ? 404 : 200, { 'Content-Type': 'text/html; charset=utf-8' })
      .end(page);
  });
  return {
    port: await listening(server),
    put: (html) => `/${pages.push(`<!doctype html><meta charset="utf-8">${html}`) - 1}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** A port whose target the owner can change, like a name with another DNS answer (rebinding). */
export type Switch = {
  readonly port: number;
  readonly leadTo: (port: number) => void;
  readonly close: () => Promise<void>;
};

export async function openSwitch(first: number): Promise<Switch> {
  let target = first;
  const open = new Set<Socket>();
  const server = createServer((incoming) => {
    const outgoing = connect(target, '127.0.0.1');
    for (const socket of [incoming, outgoing]) {
      open.add(socket);
      socket.on('error', () => socket.destroy()).on('close', () => open.delete(socket));
    }
    incoming.pipe(outgoing).pipe(incoming);
  });
  const cut = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: await listening(server),
    leadTo: (port) => {
      target = port;
      // Like the attacker's server, so that the browser looks the name up again.
      cut();
    },
    close: async () => {
      cut();
      await new Promise((done) => server.close(done));
    },
  };
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}
