import type { Client } from 'pg';
import { connectionOf, type ConnectionName } from './connection.ts';
import { LateFailingClient } from './late-failing.ts';

/** A connection that receives the messages of a channel (`NOTIFY`) and reconnects by itself. */
type Listener = { readonly close: () => Promise<void> };

type ListenerOptions = {
  readonly url: string;
  readonly name: ConnectionName;
  readonly channel: 'session' | 'abort';
  readonly onMessage: (message: string) => void;
  /** Called on each connection: messages that were sent before it have to be read elsewhere. */
  readonly onConnected?: () => void;
  readonly onLost: (error: Error) => void;
};

/** Message on the channel `session` after a change of the drained destinations. */
export const DRAINS_CHANGED = 'drains';

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5000;
/**
 * A quiet channel and a dead connection look alike, so the connection is probed this often; a probe
 * and a new connection have this long, too.
 */
const PROBE_MS = 5000;

/** Starts to listen; returns at once even if the database is not available. */
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
    const connection = new LateFailingClient({
      ...connectionOf(url, name),
      query_timeout: PROBE_MS,
      connectionTimeoutMillis: PROBE_MS,
    });
    client = connection;
    // One loss can cause `error`, `end`, or both.
    let lost = false;
    const lose = (reason: Error): void => {
      if (lost || closed) return;
      lost = true;
      clearTimeout(probe);
      onLost(reason);
      connection.end().catch(() => undefined);
      retry = setTimeout(connect, retryMs);
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
    };
    const probeLater = (): void => {
      probe = setTimeout(
        () => void connection.query('SELECT 1').then(() => lost || closed || probeLater(), lose),
        PROBE_MS,
      );
    };
    connection
      .on('error', lose)
      .on('end', () => lose(new Error('the database ended the connection')));
    connection.on('notification', ({ payload }) => onMessage(payload ?? ''));
    try {
      await connection.connect();
      await connection.query(`LISTEN ${channel}`);
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
