import { Pool, type PoolClient, type PoolConfig } from 'pg';

/**
 * `pg-pool`, without any code: all connections were taken for the whole limit, or a
 * new one was not made within it.
 */
const UP =
  /^(timeout exceeded when trying to connect|Connection terminated due to connection timeout)$/;
/** A timer of a process that runs comes no later than this. */
const LATE_MS = 100;

type Taken = (
  error: Error | undefined,
  client: PoolClient | undefined,
  release: (reason?: unknown) => void,
) => void;

/**
 * A pool whose `connectionTimeoutMillis` is a word about the database and not about this process.
 * When that limit was over while the process stood still (a long turn of the event loop, a machine
 * that gave it no time, a virtual machine that was moved), its timer comes late, and before what
 * the network has brought meanwhile. Nothing was begun by then, so a connection is asked for once
 * more; a database that is not there is found by the second limit.
 *
 * @param onLost told of connections that broke while nobody used them; the pool makes others
 */
export function openPool(
  config: PoolConfig,
  onLost: (error: Error) => void = () => undefined,
): Pool {
  const pool = new Pool(config);
  // What breaks is found by the statement that it breaks under; without a
  // listener it would end the process.
  pool.on('error', onLost);
  const limit = config.connectionTimeoutMillis ?? Number.POSITIVE_INFINITY;
  const connect: (taken: Taken) => void = pool.connect.bind(pool);
  const patient = (taken: Taken): void => {
    const begun = performance.now();
    connect((error, client, release) => {
      const isLate = performance.now() - begun > limit + LATE_MS;
      if (isLate && error !== undefined && UP.test(error.message)) connect(taken);
      else taken(error, client, release);
    });
  };
  // By callbacks, as `pool.query` does it: a connection that breaks right after
  // it was made finds a listener.
  const either = (taken?: Taken): Promise<PoolClient> | undefined => {
    if (taken === undefined)
      return new Promise((done, failed) =>
        patient((error, client) => (client === undefined ? failed(error) : done(client))),
      );
    patient(taken);
    return undefined;
  };
  Object.defineProperty(pool, 'connect', { value: either });
  return pool;
}
