import type { Pool } from 'pg';
import { connectionOf, isTimedOut } from './connection.ts';
import { openPool } from './pool.ts';

/** Connections for the queue's library, which cannot recognise dead ones. */
type QueuePool = { readonly pool: Pool; readonly close: () => Promise<void> };

/**
 * The library returns every connection to the pool. A connection with an unanswered statement is
 * closed here: in the pool it would block every later statement.
 */
export function openQueuePool(
  url: string,
  connections: number,
  onLost: (error: Error) => void,
): QueuePool {
  const pool = openPool({ ...connectionOf(url, 'executor'), max: connections }, onLost);
  pool.on('connect', (client) => {
    // Without a listener the error would end the process.
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
