import { Client } from 'pg';
import { connectionOf, type ConnectionName } from './connection.ts';

/**
 * A connection that hears what is said on a channel (`NOTIFY`), made again
 * by itself whenever it is lost.
 */
export type Listener = { readonly close: () => Promise<void> };

export type ListenerOptions = {
  readonly url: string;
  readonly name: ConnectionName;
  readonly channel: 'session' | 'abort';
  readonly onMessage: (message: string) => void;
  /**
   * Told whenever the connection is made, the first time or again: what was said while
   * nobody listened has to be read.
   */
  readonly onConnected?: () => void;
  readonly onLost: (error: Error) => void;
};

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5000;
/**
 * Nothing is heard on a quiet channel, nor on a connection whose other end is gone: it is asked
 * this often, and has as long to answer or to be made.
 */
const PROBE_MS = 5000;

/** Starts to listen; resolves at once, also when the database cannot be reached yet. */
export function listen({
  url,
  name,
  channel,
  onMessage,
  onConnected = () => undefined,
  onLost,
}: ListenerOptions): Listener {
  let client: Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  let probe: NodeJS.Timeout | undefined;
  let retryMs = FIRST_RETRY_MS;
  let closed = false;

  const connect = async (): Promise<void> => {
    const fresh = new Client({
      ...connectionOf(url, name),
      query_timeout: PROBE_MS,
      connectionTimeoutMillis: PROBE_MS,
    });
    client = fresh;
    // `error` and `end` can both come for one loss, and either alone.
    let lost = false;
    const lose = (reason: Error): void => {
      if (lost || closed) return;
      lost = true;
      clearTimeout(probe);
      onLost(reason);
      fresh.end().catch(() => undefined);
      retry = setTimeout(connect, retryMs);
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
    };
    const probeLater = (): void => {
      probe = setTimeout(
        () => void fresh.query('SELECT 1').then(() => lost || closed || probeLater(), lose),
        PROBE_MS,
      );
    };
    fresh.on('error', lose).on('end', () => lose(new Error('the database ended the connection')));
    fresh.on('notification', ({ payload }) => onMessage(payload ?? ''));
    try {
      await fresh.connect();
      await fresh.query(`LISTEN ${channel}`);
      retryMs = FIRST_RETRY_MS;
      onConnected();
      probeLater();
    } catch (error) {
      lose(error instanceof Error ? error : new Error(String(error)));
    }
  };
  void connect();

  return {
    close: async () => {
      closed = true;
      clearTimeout(retry);
      clearTimeout(probe);
      await client?.end().catch(() => undefined);
    },
  };
}
