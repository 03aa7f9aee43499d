import type { Pool } from 'pg';
import { connectionOf, isTimedOut } from './connection.ts';
import { openPool } from './pool.ts';

/** Connections for the queue's library, which cannot tell a dead one from a live one. */
export type QueuePool = { readonly pool: Pool; readonly close: () => Promise<void> };

/**
 * The library gives a connection back to the pool after whatever happened on it. One on which a
 * statement was never answered is ended here: in the pool it would keep the next statement waiting
 * behind that one, and the one after it, for ever.
 */
export function openQueuePool(
  url: string,
  connections: number,
  onLost: (error: Error) => void,
): QueuePool {
  const pool = openPool({ ...connectionOf(url, 'executor'), max: connections }, onLost);
  pool.on('connect', (client) => {
    // Without a listener it would end the process.
    client.on('error', () => undefined);
    const { query } = client;
    const bounded = async (...words: readonly unknown[]): Promise<unknown> => {
      try {
        return await Reflect.apply(query, client, words);
      } catch (error) {
        if (isTimedOut(error)) client.end().catch(() => undefined);
        throw error;
      }
    };
    Object.defineProperty(client, 'query', { value: bounded });
  });
  return { pool, close: () => pool.end() };
}
