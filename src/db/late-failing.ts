import { Client, type ClientConfig } from 'pg';
import { errorText } from '../words/system-error.ts';

type Connected = ((error: Error) => void) | ((error: null, client: Client) => void);

const failures = new WeakMap<Client, Error>();

/**
 * A client that fails when it connects, as for a server that is away. `pg` reads the files of
 * certificates that a URL names for each connection, and throws while they are missing or closed to
 * us; from the timers of a pool that would end the process.
 */
export class LateFailingClient extends Client {
  constructor(config?: string | ClientConfig) {
    try {
      super(config);
    } catch (error) {
      super();
      failures.set(this, new Error(`${UNUSABLE}: ${errorText(error)}`, { cause: error }));
    }
  }

  override connect(): Promise<Client>;
  override connect(connected: Connected): void;
  override connect(connected?: Connected): Promise<Client> | void {
    const failure = failures.get(this);
    if (failure === undefined)
      return connected === undefined ? super.connect() : super.connect(connected);
    if (connected === undefined) return Promise.reject(failure);
    process.nextTick(connected, failure);
  }
}

/** How its error begins. */
export const UNUSABLE = 'DATABASE_URL cannot be used';
