import { connect, createServer, type Socket } from 'node:net';

/** A network between a service and its database that can silently stop. */
export type Proxy = {
  /** the database's URL through this network */
  readonly url: string;
  /** Stops all traffic: connections, also new ones, stay open and silent. */
  readonly stall: () => void;
  /** New connections work again; old ones stay dead, as after a firewall that forgot them. */
  readonly resume: () => void;
  /** number of working connections */
  readonly carried: () => number;
  readonly close: () => Promise<void>;
};

export async function openProxy(databaseUrl: string): Promise<Proxy> {
  const target = new URL(databaseUrl);
  const port = Number(target.port);
  const [carried, dead] = [new Set<Socket>(), new Set<Socket>()];
  let stalled = false;
  const server = createServer((client) => {
    client.on('error', () => undefined);
    if (stalled) {
      dead.add(client);
      return;
    }
    const far = connect({ host: target.hostname, port });
    far.on('error', () => undefined);
    carried.add(client);
    const carry = (from: Socket, to: Socket): void => {
      from.on('data', (bytes) => carried.has(client) && to.write(bytes));
      from.on('close', () => {
        if (carried.delete(client)) to.destroy();
      });
    };
    carry(client, far);
    carry(far, client);
    dead.add(far);
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  target.port = `${address.port}`;
  return {
    url: target.href,
    stall: () => {
      stalled = true;
      for (const client of carried) dead.add(client);
      carried.clear();
    },
    resume: () => {
      stalled = false;
    },
    carried: () => carried.size,
    close: () => {
      for (const socket of [...carried, ...dead]) socket.destroy();
      return new Promise((done) => void server.close(() => done()));
    },
  };
}
