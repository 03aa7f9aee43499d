import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { LateFailingClient } from './late-failing.ts';

/**
 * Errors of `pg-pool` without a code: all connections were in use, or a new one was not made within
 * the limit.
 */
const UP =
  /^(timeout exceeded when trying to connect|Connection terminated due to connection timeout)$/;
/** A later timer shows that the process stood still. */
const LATE_MS = 100;

type Taken = (
  error: Error | undefined,
  client: PoolClient | undefined,
  release: (reason?: unknown) => void,
) => void;

/**
 * A pool whose `connectionTimeoutMillis` measures the database and not this process. If the process
 * stands still (a long turn of the event loop, a busy machine, a virtual machine that moves), the
 * timer fires late, and before the network events of that time are handled. No statement has begun
 * then, so a second attempt is safe; if the database is down, the second limit reports it.
 *
 * @param onLost called for idle connections that break; the pool makes others
 */
export function openPool(
  config: PoolConfig,
  onLost: (error: Error) => void = () => undefined,
): Pool {
  const pool = new Pool({ ...config, Client: LateFailingClient });
  // The statement on a broken connection reports it; without a listener the error would end the
  // process.
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
  // With callbacks, like `pool.query`: a connection that breaks at once already has a listener.
  const patientConnect = (taken?: Taken): Promise<PoolClient> | undefined => {
    if (taken === undefined)
      return new Promise((done, failed) =>
        patient((error, client) => (client === undefined ? failed(error) : done(client))),
      );
    patient(taken);
    return undefined;
  };
  Object.defineProperty(pool, 'connect', { value: patientConnect });
  return pool;
}
